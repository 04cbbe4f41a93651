import type { DecisionContext } from "../decide/decision.ts";
import { callsOf, reasoningOf, textOf } from "./answer.ts";
import type { AgentAnswer } from "./answer.ts";
import type { RunState } from "./next-step.ts";
import type { RunRecord } from "./record.ts";
import type { RunSetup } from "./run-setup.ts";

/** What has to be known beside the signal of an answer to decide what comes next. */
export function describeContext(
  answer: AgentAnswer,
  { draft, attempts, messages, model }: RunState,
  { request, fallback }: Pick<RunSetup, "request" | "fallback">,
  { turns, usage }: Pick<RunRecord, "turns" | "usage">,
): DecisionContext {
  const content = [...draft, ...answer.content];
  return {
    answer: {
      hasText: textOf(content) !== "",
      hasReasoning: reasoningOf(content) !== "",
      completeCalls: callsOf(answer.content).length,
      cutCalls: answer.cutCalls.length,
    },
    wasShown: answer.wasShown || draft.length > 0,
    attempts,
    hasOwnTokenLimit: request.maxOutputTokens !== undefined,
    hasFallbackModel: fallback !== undefined && model === "main",
    conversation: {
      turns,
      messages: messages.length + 1,
      totalTokens: usage.inputTokens + usage.outputTokens,
    },
  };
}
