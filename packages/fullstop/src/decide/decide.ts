import { invalidArgument } from "../errors.ts";
import { isTerminationSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import { holdToBounds } from "./bounds.ts";
import { checkContext } from "./check-context.ts";
import { isAction } from "./decision.ts";
import type { DecisionContext, TerminationDecision } from "./decision.ts";
import { POLICIES, checkPolicy } from "./policy.ts";
import type { TerminationPolicy } from "./policy.ts";
import { proposeByRules } from "./rules.ts";

/**
 * Decides what to do after an answer has ended. Built-in rules propose, the bounds of the policy hold, strategies may
 * replace the proposal, and the bounds hold again. The same input gives the same decision: there is no clock, no
 * state and no chance in it, unless a strategy brings them along. The policy is {@link POLICIES}`.agent` by default.
 */
export function decide(
  signal: TerminationSignal,
  context: DecisionContext,
  policy: TerminationPolicy = POLICIES.agent,
): TerminationDecision {
  if (!isTerminationSignal(signal)) throw invalidArgument("signal", "must be a termination signal", signal);
  checkContext(context);
  checkPolicy(policy);
  let decision = holdToBounds(proposeByRules(signal, context, policy), context, policy);
  for (const strategy of policy.strategies) {
    const replacement = strategy(signal, context, decision);
    if (replacement !== undefined) decision = holdToBounds(readReplacement(replacement), context, policy);
  }
  return decision;
}

/** What a strategy has returned, made whole. An action nobody has heard of has no bound and cannot be let through. */
function readReplacement(replacement: TerminationDecision): TerminationDecision {
  const { suggestedAction, reason, metadata } = replacement ?? {};
  if (!isAction(suggestedAction) || typeof reason !== "string") {
    throw invalidArgument("what a strategy returns", "must be a decision or undefined", replacement);
  }
  return {
    shouldContinue: suggestedAction !== "stop",
    reason,
    suggestedAction,
    metadata: { rule: "strategy", ...metadata },
  };
}
