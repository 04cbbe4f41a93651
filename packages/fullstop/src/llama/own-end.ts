import type { FinishEvent } from "../events.ts";
import type { TerminationReason, TerminationSignal } from "../termination.ts";

/** Endings that come after the model's own in the order of authority. */
const LATER: ReadonlySet<TerminationReason> = new Set([
  "repetition_detected",
  "budget_exceeded",
  "token_limit_reached",
]);

/**
 * The ending of an output that is complete. The guard sees the last token of it before it hears that it was the last,
 * so a limit that is reached with that very token has spoken first.
 */
export function preferOwnEnd(event: FinishEvent, own: TerminationSignal): FinishEvent {
  return LATER.has(event.signal?.reason) ? { type: "finish", signal: own } : event;
}
