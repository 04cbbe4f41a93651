import type { TerminationDecision } from "../decide/decision.ts";
import type { TerminationReason, TerminationSignal } from "../termination.ts";
import type { AgentEnd } from "./result.ts";

/** What it means that nothing more is done after an answer that ended for each reason. */
const ENDS: Readonly<Record<TerminationReason, AgentEnd>> = {
  natural_completion: "completed",
  stop_sequence: "completed",
  tool_calls: "incomplete",
  token_limit_reached: "incomplete",
  context_window_exceeded: "context_full",
  content_filtered: "refused",
  paused: "incomplete",
  repetition_detected: "incomplete",
  budget_exceeded: "incomplete",
  cancelled: "stopped",
  error_termination: "failed",
  // Nobody knows whether it is whole, and what nobody knows is no success.
  unknown: "incomplete",
};

/** Why a run is over after an answer about which nothing more is done. */
export function endOf({ reason }: TerminationSignal, { metadata }: TerminationDecision): AgentEnd {
  // Providers and models on this machine refuse a conversation that is too long with an error.
  if (metadata["rule"] === "context_full") return "context_full";
  const end = ENDS[reason];
  // An answer that would have been asked for again is not complete only because that may not be done any more.
  return end === "completed" && metadata["rule"] === "bound_reached" ? "incomplete" : end;
}
