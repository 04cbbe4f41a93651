import type { TerminationSignal } from "../termination.ts";
import { boundReached } from "./bounds.ts";
import { createDecision } from "./decision.ts";
import type { TerminationDecision } from "./decision.ts";
import type { Rule, Situation } from "./situation.ts";

/**
 * What kind of thing went wrong, as far as the next step depends on it: the model's call was no call, the line was
 * interrupted, the same request can only fail again, or nobody knows.
 */
type ErrorClass = "malformed" | "interrupted" | "final" | "unknown";

const DETAILS: Readonly<Record<Exclude<ErrorClass, "unknown">, readonly string[]>> = {
  malformed: ["malformed_tool_call", "incomplete_arguments", "unexpected_tool_call", "malformed_output"],
  interrupted: [
    "truncated",
    "network_error",
    "timeout",
    "overloaded",
    "rate_limited",
    "server_error",
    "exception",
    "provider_error",
    "malformed_event",
    "unreadable_event",
  ],
  final: [
    "invalid_request",
    "authentication",
    "permission",
    "quota",
    "not_found",
    "context_window",
    "not_an_answer",
    "event_too_large",
    "cancelled",
    "tool_loop_limit",
  ],
};

const CLASSES: ReadonlyMap<string, ErrorClass> = new Map([
  ...DETAILS.malformed.map((detail) => [detail, "malformed"] as const),
  ...DETAILS.interrupted.map((detail) => [detail, "interrupted"] as const),
  ...DETAILS.final.map((detail) => [detail, "final"] as const),
]);

const RULES: Readonly<Record<ErrorClass, Rule>> = {
  malformed: ({ signal }) =>
    createDecision("modify_prompt", "malformed_call", "The model's output could not be used", detailOf(signal)),
  interrupted: ({ signal, context }) => {
    // Calls of an answer that broke off are not run, not even whole ones: what would have followed is not known.
    const isBegun = context.wasShown && context.answer.hasText;
    const action = isBegun && context.isOnePiece !== true ? "continue" : "retry";
    return createDecision(action, "interrupted", "The answer was interrupted", detailOf(signal));
  },
  final: ({ signal }) =>
    signal.detail === "context_window"
      ? contextFull()
      : createDecision("stop", "final_error", "The same request would fail again", detailOf(signal)),
  unknown: afterUnknownError,
};

/** What to do after an error, by its detail. The list of details is open, so an error may be of no known class. */
export function afterError(situation: Situation): TerminationDecision {
  const { detail } = situation.signal;
  const known = detail === undefined ? undefined : CLASSES.get(detail);
  return RULES[known ?? "unknown"](situation);
}

/** The stop of a conversation that has become too long. */
export function contextFull(): TerminationDecision {
  return createDecision("stop", "context_full", "The context window is full", { hint: "shorten the conversation" });
}

function afterUnknownError({ signal, context, policy }: Situation): TerminationDecision {
  const reason = "The answer failed for a reason nobody knows";
  if (context.wasShown) return createDecision("stop", "unknown_error", reason, detailOf(signal));
  const retry = createDecision("retry", "unknown_error", reason, detailOf(signal));
  const taken = context.attempts.retry ?? 0;
  const bound = policy.unknownErrorRetries;
  return taken < bound ? retry : boundReached(retry, { name: "unknownErrorRetries", bound, taken });
}

function detailOf({ detail }: TerminationSignal): Readonly<Record<string, unknown>> {
  return detail === undefined ? {} : { detail };
}
