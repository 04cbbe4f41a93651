import { createDecision, isContinuingAction } from "./decision.ts";
import type { DecisionContext, TerminationDecision } from "./decision.ts";
import { CONVERSATION_LIMITS } from "./policy.ts";
import type { TerminationPolicy } from "./policy.ts";

/** A bound that has been reached: what it is on, where it is, and how much was taken. */
export interface ReachedBound {
  readonly name: string;
  readonly bound: number;
  readonly taken: number;
}

/** Turns a decision into a stop where the bound of its action or a limit of the conversation is reached. */
export function holdToBounds(
  decision: TerminationDecision,
  context: DecisionContext,
  policy: TerminationPolicy,
): TerminationDecision {
  const action = decision.suggestedAction;
  if (!isContinuingAction(action)) return decision;
  const taken = context.attempts[action] ?? 0;
  const bound = policy.bounds[action];
  // Written so that a bound that is missing or not a number stops, instead of allowing everything.
  if (!(taken < bound)) return boundReached(decision, { name: action, bound, taken });
  for (const name of CONVERSATION_LIMITS) {
    const limit = policy.limits[name];
    const reached = context.conversation[name];
    if (limit !== null && !(reached < limit)) return boundReached(decision, { name, bound: limit, taken: reached });
  }
  return decision;
}

/** The stop in place of an action whose bound is reached. It says what was wanted and by which rule. */
export function boundReached(wanted: TerminationDecision, { name, bound, taken }: ReachedBound): TerminationDecision {
  const { suggestedAction, metadata } = wanted;
  const reason = `Stopped at the bound of ${bound} on ${name}, where ${suggestedAction} was wanted`;
  const wantedBy = metadata["rule"];
  return createDecision("stop", "bound_reached", reason, {
    ...metadata,
    wanted: suggestedAction,
    wantedBy,
    boundOn: name,
    bound,
    taken,
  });
}
