import type { LiveGeneration } from "../generations/live-generation.ts";
import type { Target } from "../models/model-router.ts";
import { FREE, costOf } from "../models/prices.ts";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import type { Limits, Spent } from "./limits.ts";

/** What a generation that has ended has used up, by the last it has said of it, however it has ended. */
export function spentOn({ log, counted }: LiveGeneration): Spent {
  const usage = log.all().findLast((event) => event.type === "usage")?.usage;
  if (usage === undefined) return { tokens: 0, cost: 0 };
  return { tokens: usage.inputTokens + usage.outputTokens, cost: costOf(usage, counted?.prices ?? FREE) };
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
