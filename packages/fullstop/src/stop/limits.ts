import { createTerminationSignal } from "../termination.ts";
import type { TerminationReason, TerminationSignal } from "../termination.ts";
import type { StopRule } from "./step.ts";

/** Allows exactly `most` tokens and ends after the last of them. */
export function createTokenLimit(most: number): StopRule {
  const reached = tokenLimitSignal(most);
  return { name: "max_tokens", start: () => (step) => (step.tokens >= most ? reached : undefined) };
}

/** The signal of an output that has as many tokens as it may have. */
export function tokenLimitSignal(most: number): TerminationSignal {
  return limitReached("max_tokens", most, "Maximum tokens");
}

/** Allows exactly `most` tokens of thinking. */
export function createReasoningTokenLimit(most: number): StopRule {
  const reached = reasoningTokenLimitSignal(most);
  return {
    name: "max_reasoning_tokens",
    start: () => (step) => (step.channel === "reasoning" && step.reasoningTokens >= most ? reached : undefined),
  };
}

/** The signal of thinking that has as many tokens as it may have. */
export function reasoningTokenLimitSignal(most: number): TerminationSignal {
  return limitReached("max_reasoning_tokens", most, "Maximum reasoning tokens", "reasoning_tokens");
}

/** The signal of a text that has as many characters as it may have. The cut itself is the guard's work. */
export function characterLimitSignal(most: number): TerminationSignal {
  return limitReached("max_characters", most, "Maximum characters", "characters");
}

/** The signal of a generation that has taken as many milliseconds as it may take. */
export function deadlineSignal(most: number): TerminationSignal {
  return limitReached("max_milliseconds", most, "Time limit", "deadline", "budget_exceeded");
}

/** The signal of a generation that has cost as much as it may cost. */
export function costSignal(most: number): TerminationSignal {
  return limitReached("max_cost", most, "Cost limit", "cost", "budget_exceeded");
}

function limitReached(
  field: string,
  most: number,
  limit: string,
  detail?: string,
  reason: TerminationReason = "token_limit_reached",
): TerminationSignal {
  return createTerminationSignal({
    reason,
    detail,
    originalField: field,
    originalValue: String(most),
    message: `${limit} reached`,
  });
}

/**
 * Ends the generation at the first step after `milliseconds`, counted from the generation's start. A guard only
 * acts when output arrives; a source that falls silent has to be timed by whoever waits for it.
 */
export function createDeadline(milliseconds: number, now: () => number): StopRule {
  const reached = deadlineSignal(milliseconds);
  return {
    name: "deadline",
    start: () => {
      const end = now() + milliseconds;
      return () => (now() >= end ? reached : undefined);
    },
  };
}

/** What output may cost. The currency is the caller's. */
export interface CostLimit {
  readonly amount: number;
  readonly perToken: number;
}

/** Ends the generation once its output has cost `amount`. */
export function createCostLimit({ amount, perToken }: CostLimit): StopRule {
  const reached = costSignal(amount);
  return { name: "cost", start: () => (step) => (step.tokens * perToken >= amount ? reached : undefined) };
}
