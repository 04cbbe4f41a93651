import type { TerminationReason } from "../../src/index.ts";

/** Keyed by reason, so that one that is added without an entry here does not compile. */
const KEYED: Readonly<Record<TerminationReason, true>> = {
  natural_completion: true,
  stop_sequence: true,
  token_limit_reached: true,
  context_window_exceeded: true,
  tool_calls: true,
  content_filtered: true,
  paused: true,
  repetition_detected: true,
  budget_exceeded: true,
  cancelled: true,
  error_termination: true,
  unknown: true,
};

/** Every reason a generation can end for. */
export const REASONS = Object.keys(KEYED) as readonly TerminationReason[];
