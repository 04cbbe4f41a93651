import { checkAmount, checkCount, checkNames } from "../check.ts";
import { invalidArgument } from "../errors.ts";
import type { Usage } from "../events.ts";

/** Limits on a whole run: all its answers and tools together. */
export interface RunLimits {
  /** How often the model may be asked. */
  readonly maxTurns?: number | undefined;
  /** Tokens of input and output together. */
  readonly maxTokens?: number | undefined;
  readonly maxToolCalls?: number | undefined;
  readonly maxMilliseconds?: number | undefined;
  /** Money, in whatever unit the prices are in. */
  readonly maxCost?: { readonly limit: number; readonly price: (usage: Usage) => number } | undefined;
}

/** What a run has used up. */
export interface Spent {
  readonly turns: number;
  readonly toolCalls: number;
  readonly milliseconds: number;
  readonly usage: Usage;
}

/** Which limit of a run was reached. */
export type ReachedLimit = "turn_limit" | "token_limit" | "tool_call_limit" | "time_limit" | "cost_limit";

const NAMES: Readonly<Record<keyof RunLimits, true>> = {
  maxTurns: true,
  maxTokens: true,
  maxToolCalls: true,
  maxMilliseconds: true,
  maxCost: true,
};

/** Refuses limits that are none. */
export function checkRunLimits(limits: RunLimits): void {
  checkNames("limits", limits, NAMES);
  checkCount("limits maxTurns", limits.maxTurns, 1);
  checkCount("limits maxTokens", limits.maxTokens, 1);
  checkCount("limits maxToolCalls", limits.maxToolCalls, 0);
  checkAmount("limits maxMilliseconds", limits.maxMilliseconds);
  if (limits.maxCost !== undefined) checkMaxCost(limits.maxCost);
}

function checkMaxCost(maxCost: NonNullable<RunLimits["maxCost"]>): void {
  checkNames("limits maxCost", maxCost, { limit: true, price: true });
  const { limit, price } = maxCost;
  checkAmount("limits maxCost limit", limit ?? Number.NaN);
  if (typeof price !== "function") {
    throw invalidArgument("limits maxCost price", "must be a function of the usage, such as (usage) => …", price);
  }
}

/** The first limit that a run has reached, if any. */
export function reachedLimit(limits: RunLimits, spent: Spent): ReachedLimit | undefined {
  const { maxTurns, maxTokens, maxToolCalls, maxMilliseconds, maxCost } = limits;
  const { usage } = spent;
  if (maxTurns !== undefined && spent.turns >= maxTurns) return "turn_limit";
  if (maxTokens !== undefined && usage.inputTokens + usage.outputTokens >= maxTokens) return "token_limit";
  if (maxToolCalls !== undefined && spent.toolCalls > maxToolCalls) return "tool_call_limit";
  if (maxMilliseconds !== undefined && spent.milliseconds >= maxMilliseconds) return "time_limit";
  if (maxCost !== undefined && !(maxCost.price(usage) < maxCost.limit)) return "cost_limit";
  return undefined;
}
