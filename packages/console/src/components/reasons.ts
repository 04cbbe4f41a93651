import type { TerminationReason } from "fullstop";

/** How an ending feels: what was wanted, not all of it, a failure. */
type Tone = "good" | "partial" | "bad";

/** A reason in words for people, with its tone. */
export interface ReasonWords {
  readonly label: string;
  readonly tone: Tone;
}

/** Every reason in words. */
const REASONS: Readonly<Record<TerminationReason, ReasonWords>> = {
  natural_completion: { label: "Finished by itself", tone: "good" },
  stop_sequence: { label: "Stop string", tone: "good" },
  tool_calls: { label: "Calls a tool", tone: "good" },
  token_limit_reached: { label: "Token limit", tone: "partial" },
  context_window_exceeded: { label: "Context is full", tone: "partial" },
  paused: { label: "Paused", tone: "partial" },
  repetition_detected: { label: "Repeats itself", tone: "partial" },
  budget_exceeded: { label: "Budget used up", tone: "partial" },
  cancelled: { label: "Stopped", tone: "partial" },
  content_filtered: { label: "Refused or filtered", tone: "bad" },
  error_termination: { label: "Failed", tone: "bad" },
  unknown: { label: "Unknown ending", tone: "partial" },
};

/** A reason in words; one that a newer gateway knows and this page does not is shown as it is. */
export function wordsOf(reason: string): ReasonWords {
  const known: Readonly<Record<string, ReasonWords>> = REASONS;
  return known[reason] ?? { label: reason, tone: "partial" };
}
