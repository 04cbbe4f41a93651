import type { TerminationReason, TerminationSignal } from "../termination.ts";
import { createDecision } from "./decision.ts";
import type { DecisionContext, TerminationDecision } from "./decision.ts";
import { afterError, contextFull } from "./error-rules.ts";
import type { TerminationPolicy } from "./policy.ts";
import type { Rule, Situation } from "./situation.ts";

/** Keyed by reason so that a reason added to the union without a rule does not compile. */
const RULES: Readonly<Record<TerminationReason, Rule>> = {
  natural_completion: afterNaturalEnd,
  stop_sequence: afterStopSequence,
  token_limit_reached: afterTokenLimit,
  context_window_exceeded: contextFull,
  tool_calls: afterToolCalls,
  content_filtered: afterFilter,
  paused: afterPause,
  repetition_detected: () => createDecision("stop", "repetition", "The model repeats itself"),
  budget_exceeded: () => createDecision("stop", "budget_spent", "A limit on time or money is reached"),
  cancelled: () => createDecision("stop", "cancelled", "Somebody stopped the generation"),
  error_termination: afterError,
  unknown: afterDoubtfulEnd,
};

/**
 * Reasons that hold even in doubt. Each of them is somebody's no, and going on by mistake does more harm than
 * stopping by mistake.
 */
const HELD_IN_DOUBT: ReadonlySet<TerminationReason> = new Set(["content_filtered", "budget_exceeded", "cancelled"]);

/** What the built-in rules want to do next, before the bounds are looked at. */
export function proposeByRules(
  signal: TerminationSignal,
  context: DecisionContext,
  policy: TerminationPolicy,
): TerminationDecision {
  const situation: Situation = { signal, context, policy };
  if (!signal.shouldTerminate) return createDecision("stop", "in_progress", "The answer is still being written");
  if (signal.confidence === "low" && !HELD_IN_DOUBT.has(signal.reason)) return afterDoubtfulEnd(situation);
  return RULES[signal.reason](situation);
}

function afterNaturalEnd(situation: Situation): TerminationDecision {
  const { answer } = situation.context;
  // A call that was cut needs an answer as well: left alone, it would make the conversation unusable.
  if (answer.completeCalls + answer.cutCalls > 0) return runTools(situation);
  if (answer.hasText) return answerComplete();
  // A server that was only told to load or unload a model has nothing to say, and does not by being asked again.
  if (situation.signal.detail === "no_generation") {
    return createDecision("stop", "nothing_asked", "The model was not asked anything");
  }
  return nudgeForAnswer(situation);
}

function afterStopSequence(situation: Situation): TerminationDecision {
  // A call that a stop string cut was meant to end there, and an answer may consist of nothing but the stop string.
  return situation.context.answer.completeCalls > 0 ? runTools(situation) : answerComplete();
}

function afterToolCalls(situation: Situation): TerminationDecision {
  const { answer } = situation.context;
  if (answer.completeCalls + answer.cutCalls > 0) return runTools(situation);
  if (!answer.hasText) return nudgeForAnswer(situation);
  return createDecision("modify_prompt", "calls_missing", "The model announced tool calls and made none");
}

function afterTokenLimit(situation: Situation): TerminationDecision {
  const { context, policy, signal } = situation;
  const { answer, hasOwnTokenLimit, attempts } = context;
  // Nothing may be said between a call and its result, so an answer with calls cannot be continued in words.
  if (answer.completeCalls + answer.cutCalls > 0) return runTools(situation);
  if (signal.detail === "characters" || (context.isFullLength === true && answer.hasText)) {
    return createDecision("stop", "length_as_set", "The text is as long as the caller allows");
  }
  // A limit on thinking is always the caller's own, and a larger output limit does not lift it.
  const mayRaise = !hasOwnTokenLimit && signal.detail !== "reasoning_tokens";
  if (answer.hasText) {
    const isRaiseLeft = mayRaise && (attempts.increase_budget ?? 0) < policy.bounds.increase_budget;
    const reason = "The output limit cut the answer";
    if (isRaiseLeft) return createDecision("increase_budget", "cut_by_limit", reason);
    // Written anew under the same limit, it would be cut again.
    return context.isOnePiece === true
      ? createDecision("stop", "cut_by_limit", reason, { hint: "raise the output limit" })
      : createDecision("continue", "cut_by_limit", reason);
  }
  // There is no text to go on from, and asked to continue the model would think just as long again.
  return createDecision(
    mayRaise ? "increase_budget" : "stop",
    "cut_while_thinking",
    "The output limit was reached before any text",
    { ...(!mayRaise && { hint: "raise the output limit or lower the reasoning effort" }) },
  );
}

function afterFilter({ context }: Situation): TerminationDecision {
  return context.hasFallbackModel
    ? createDecision("switch_model", "withheld", "The answer was withheld, and another model may give one")
    : createDecision("stop", "withheld", "The answer was withheld");
}

function afterPause(situation: Situation): TerminationDecision {
  // Sent back as it stands, a turn with calls that have no result is refused; their results resume it as well.
  if (situation.context.answer.completeCalls > 0) return runTools(situation);
  return createDecision("resume", "paused", "The provider paused and wants the turn sent back");
}

/** Nobody can say how the answer ended, so what it holds has to decide. */
function afterDoubtfulEnd(situation: Situation): TerminationDecision {
  const { answer } = situation.context;
  if (answer.completeCalls > 0) return runTools(situation);
  if (!answer.hasText) return nudgeForAnswer(situation);
  return createDecision("stop", "doubtful_ending", "The answer is taken as it is, though its end is in doubt", {
    note: "the answer may be incomplete",
  });
}

function answerComplete(): TerminationDecision {
  return createDecision("stop", "answer_complete", "The answer is complete");
}

function runTools({ context }: Situation): TerminationDecision {
  const { completeCalls, cutCalls } = context.answer;
  const reason = cutCalls === 0 ? "Tool calls wait to be run" : "Tool calls wait, some of which were cut";
  return createDecision("run_tools", "calls_pending", reason, { completeCalls, cutCalls });
}

function nudgeForAnswer({ context }: Situation): TerminationDecision {
  const { hasReasoning, cutCalls } = context.answer;
  if (cutCalls > 0) return createDecision("modify_prompt", "malformed_call", "A tool call was cut", { cutCalls });
  return hasReasoning
    ? createDecision("modify_prompt", "only_thinking", "The model thought and did not answer")
    : createDecision("modify_prompt", "empty_answer", "The answer is empty");
}
