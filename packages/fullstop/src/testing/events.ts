import type { FinishEvent, GenerationEvent, Usage } from "../events.ts";
import { createTerminationSignal } from "../termination.ts";
import type { TerminationReason, TerminationSignalParts } from "../termination.ts";

/** The beginning of an answer. */
export function start(id = "generation-1", model = "some-model"): GenerationEvent {
  return { type: "start", id, model };
}

/** A piece of text. */
export function text(value: string): GenerationEvent {
  return { type: "text", text: value };
}

/** A piece of thinking. */
export function reasoning(value: string): GenerationEvent {
  return { type: "reasoning", text: value };
}

/** The provider's proof for the thinking before it. */
export function signature(value: string): GenerationEvent {
  return { type: "reasoning", text: "", signature: value };
}

/** A whole tool call, its arguments in two pieces. */
export function call(callId: string, name: string, input: unknown = {}): readonly GenerationEvent[] {
  const json = JSON.stringify(input);
  const middle = Math.ceil(json.length / 2);
  return [
    { type: "tool-call-start", callId, name },
    { type: "tool-call-delta", callId, json: json.slice(0, middle) },
    { type: "tool-call-delta", callId, json: json.slice(middle) },
    { type: "tool-call-end", callId },
  ];
}

/** Token counts. */
export function usage(inputTokens: number, outputTokens: number, others: Partial<Usage> = {}): GenerationEvent {
  return { type: "usage", usage: { inputTokens, outputTokens, ...others } };
}

/** The end of an answer, for any reason. */
export function finish(
  reason: TerminationReason = "natural_completion",
  parts: Partial<Omit<TerminationSignalParts, "reason">> = {},
): FinishEvent {
  const signal = createTerminationSignal({ originalField: "script", originalValue: reason, ...parts, reason });
  return { type: "finish", signal };
}
