import type { DecisionContext } from "../../decide/decision.ts";
import type { Usage } from "../../events.ts";
import type { ToolCallPart, ToolMessage } from "../../request.ts";
import type { TerminationSignal } from "../../termination.ts";
import { jsonTextOf } from "../../wire/json.ts";
import { signalOf } from "./call-metadata.ts";
import { readFinishReason } from "./finish-reason.ts";
import type { UnifiedReason } from "./finish-reason.ts";

/** What is looked at of a step. The SDK's `StepResult` has this shape, whatever its tools are. */
export interface LoopStep {
  readonly text: string;
  readonly reasoningText: string | undefined;
  readonly finishReason: UnifiedReason;
  readonly rawFinishReason: string | undefined;
  readonly usage: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined };
  readonly content: readonly { readonly type: string }[];
  readonly toolCalls: readonly {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: unknown;
    readonly providerExecuted?: boolean | undefined;
  }[];
  readonly performance: { readonly stepTimeMs: number };
  readonly providerMetadata: Readonly<Record<string, unknown>> | undefined;
}

/** How a step ended: what the middleware has told, or what the SDK's words stand for. */
export function signalOfStep({ finishReason, rawFinishReason, providerMetadata }: LoopStep): TerminationSignal {
  const told = signalOf(providerMetadata);
  if (told !== undefined) return told;
  const finish = { unified: finishReason, raw: rawFinishReason };
  return readFinishReason(finish, { providerMetadata: undefined, hadStopStrings: false });
}

/** What the steps of a loop have cost together. A step without counts adds nothing. */
export function usageOfSteps(steps: readonly LoopStep[]): Usage {
  let inputTokens = 0;
  let outputTokens = 0;
  for (const { usage } of steps) {
    inputTokens += usage.inputTokens ?? 0;
    outputTokens += usage.outputTokens ?? 0;
  }
  return { inputTokens, outputTokens };
}

/** What has to be known beside the signal of the last step to decide what comes next. */
export function contextOfSteps(steps: readonly LoopStep[], last: LoopStep): DecisionContext {
  const { inputTokens, outputTokens } = usageOfSteps(steps);
  return {
    answer: {
      hasText: last.text !== "",
      hasReasoning: last.reasoningText !== undefined && last.reasoningText !== "",
      completeCalls: ownCalls(last).length,
      cutCalls: 0,
    },
    wasShown: true,
    attempts: { run_tools: steps.slice(0, -1).filter((step) => ownCalls(step).length > 0).length },
    // Whether there is one is not to be seen in a step, and raising a limit is nothing that the SDK's loop does.
    hasOwnTokenLimit: true,
    hasFallbackModel: false,
    conversation: { turns: steps.length, messages: steps.length, totalTokens: inputTokens + outputTokens },
  };
}

/** The calls of a step that are not the provider's own to carry out. */
export function ownCalls({ toolCalls }: LoopStep): LoopStep["toolCalls"] {
  return toolCalls.filter(({ providerExecuted }) => providerExecuted !== true);
}

/** The calls of a step with their results, as the watch on repeated calls takes them. */
export function roundOf(step: LoopStep): { readonly calls: ToolCallPart[]; readonly results: ToolMessage[] } {
  const calls: ToolCallPart[] = [];
  const results: ToolMessage[] = [];
  for (const { toolCallId: callId, toolName: name, input } of ownCalls(step)) {
    calls.push({ type: "tool-call", callId, name, json: jsonTextOf(input) });
    results.push({ role: "tool", callId, content: [{ type: "text", text: resultOf(step, callId) }] });
  }
  return { calls, results };
}

function resultOf({ content }: LoopStep, callId: string): string {
  for (const part of content) {
    if (!("toolCallId" in part) || part.toolCallId !== callId) continue;
    if (part.type === "tool-result" && "output" in part) return jsonTextOf(part.output);
    if (part.type === "tool-error" && "error" in part) return `error: ${String(part.error)}`;
  }
  return "";
}
