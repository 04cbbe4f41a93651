import type { TerminationSignal } from "../termination.ts";
import type { DecisionContext, TerminationDecision } from "./decision.ts";
import type { TerminationPolicy } from "./policy.ts";

/** What one built-in rule has to decide on. */
export interface Situation {
  readonly signal: TerminationSignal;
  readonly context: DecisionContext;
  readonly policy: TerminationPolicy;
}

/** A built-in rule: what it wants to do next, before the bounds are looked at. */
export type Rule = (situation: Situation) => TerminationDecision;
