// @ts-check

/**
 * Why generations end: the closed list of the library, which has it as a type only.
 *
 * @type {readonly import("../../packages/fullstop/dist/index.js").TerminationReason[]}
 */
export const REASONS = [
  "natural_completion",
  "stop_sequence",
  "token_limit_reached",
  "context_window_exceeded",
  "tool_calls",
  "content_filtered",
  "paused",
  "repetition_detected",
  "budget_exceeded",
  "cancelled",
  "error_termination",
  "unknown",
];
