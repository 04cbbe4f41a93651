import { createTerminationSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import type { StopRule } from "./step.ts";

/** Allows exactly `most` tokens and ends after the last of them. */
export function createTokenLimit(most: number): StopRule {
  const reached = tokenLimitSignal(most);
  return { name: "max_tokens", start: () => (step) => (step.tokens >= most ? reached : undefined) };
}

/** The signal of an output that has as many tokens as it may have. */
export function tokenLimitSignal(most: number): TerminationSignal {
  return limitReached("max_tokens", most, "Maximum tokens reached");
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
  return limitReached("max_reasoning_tokens", most, "Maximum reasoning tokens reached", "reasoning_tokens");
}

/** The signal of a text that has as many characters as it may have. The cut itself is the guard's work. */
export function characterLimitSignal(most: number): TerminationSignal {
  return limitReached("max_characters", most, "Maximum characters reached", "characters");
}

function limitReached(field: string, most: number, message: string, detail?: string): TerminationSignal {
  return createTerminationSignal({
    reason: "token_limit_reached",
    detail,
    originalField: field,
    originalValue: String(most),
    message,
  });
}

/**
 * Ends the generation at the first step after `milliseconds`, counted from the generation's start. A guard only
 * acts when output arrives; a source that falls silent has to be timed by whoever waits for it.
 */
export function createDeadline(milliseconds: number, now: () => number): StopRule {
  const reached = createTerminationSignal({
    reason: "budget_exceeded",
    detail: "deadline",
    originalField: "max_milliseconds",
    originalValue: String(milliseconds),
    message: "Time limit reached",
  });
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
  const reached = createTerminationSignal({
    reason: "budget_exceeded",
    detail: "cost",
    originalField: "max_cost",
    originalValue: String(amount),
    message: "Cost limit reached",
  });
  return { name: "cost", start: () => (step) => (step.tokens * perToken >= amount ? reached : undefined) };
}
