import type { DecisionContext } from "../decide/decision.ts";
import { callsOf, reasoningOf, textOf } from "./answer.ts";
import type { AgentAnswer } from "./answer.ts";
import type { RunState } from "./run-state.ts";
import type { RunRecord } from "./record.ts";
import type { RunSetup } from "./run-setup.ts";

/** What has to be known beside the signal of an answer to decide what comes next. */
export function describeContext(
  answer: AgentAnswer,
  { draft, isContinued, attempts, messages, model }: RunState,
  { request, fallback, settings }: Pick<RunSetup, "request" | "fallback" | "settings">,
  { turns, usage }: Pick<RunRecord, "turns" | "usage">,
): DecisionContext {
  const { reason, providerSpecific } = answer.signal;
  // A rule that counts tokens, such as that of a guard in the stage, is the caller's: no request can raise it.
  const isRule = providerSpecific.originalField === "max_tokens";
  // The rest that was asked for has to come, unless the line broke before it could, or the model has written the last
  // words once more and left it at that: the limit cut the text right at its end.
  const isRestDue = isContinued && reason !== "error_termination";
  const isAtEnd = answer.repeatsEnd === true && reason === "natural_completion";
  // Thinking that uses up the limit is not helped by asking again, even if there was text before it.
  const isAlone = reason === "token_limit_reached" || (isRestDue && !isAtEnd);
  const whole = [...draft, ...answer.content];
  const content = isAlone ? answer.content : whole;
  const written = answer.usage?.outputTokens ?? 0;
  return {
    answer: {
      // Blank space is nothing that anybody could read.
      hasText: textOf(content).trim() !== "",
      hasReasoning: reasoningOf(content) !== "",
      completeCalls: callsOf(answer.content).length,
      cutCalls: answer.cutCalls.length,
    },
    wasShown: answer.wasShown || draft.length > 0,
    attempts,
    // A limit that is already larger than the one it would be raised to cannot be raised.
    hasOwnTokenLimit: request.maxOutputTokens !== undefined || isRule || written >= settings.raisedOutputTokens,
    isFullLength: textOf(whole).length >= (settings.maxCharacters ?? Infinity),
    isOnePiece: settings.isOnePiece,
    hasFallbackModel: fallback !== undefined && model === "main",
    conversation: {
      turns,
      messages: messages.length + 1,
      totalTokens: usage.inputTokens + usage.outputTokens,
    },
  };
}
