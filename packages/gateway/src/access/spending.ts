import type { Usage } from "fullstop";
import { estimateUsage } from "fullstop/engines";
import type { LiveGeneration } from "../generations/live-generation.ts";
import { LOCAL_PROVIDER } from "../models/model-router.ts";
import type { Target } from "../models/model-router.ts";
import { FREE, costOf } from "../models/prices.ts";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import type { Limits, Spent } from "./limits.ts";

/** What a generation that has ended has used up, by the last it has said of it, however it has ended. */
export function spentOn(generation: LiveGeneration): Spent {
  const { log, counted, asked } = generation;
  const usage = log.all().findLast((event) => event.type === "usage")?.usage ?? readOf(generation);
  if (usage === undefined) return { tokens: 0, cost: 0 };
  return { tokens: usage.inputTokens + usage.outputTokens, cost: costOf(usage, (counted ?? asked)?.prices ?? FREE) };
}

/**
 * What a provider has read whose answer was stopped before its first word, of which it says nothing. Without it, whoever
 * leaves in time could send as many long prompts as they like.
 */
function readOf({ signal, request, asked }: LiveGeneration): Usage | undefined {
  // Of all budgets only that of time can be used up by an answer of which nothing has come.
  const isStopped = signal?.reason === "cancelled" || signal?.reason === "budget_exceeded";
  const isRead = isStopped && asked !== undefined && asked.provider !== LOCAL_PROVIDER;
  return isRead ? estimateUsage(request, 0) : undefined;
}

/** Refuses models without a price to whoever has a budget of money: what they cost could not be counted. */
export function checkPrices({ costPerDay }: Limits, model: string, targets: readonly Target[]): void {
  const isCounted = costPerDay !== undefined;
  if (!isCounted || targets.every(({ prices }) => prices !== undefined)) return;
  throw new RequestError(
    "permission",
    `There is a budget of money (costPerDay), and the model ${quoteValue(model)} or one to ask instead has no prices`,
  );
}
