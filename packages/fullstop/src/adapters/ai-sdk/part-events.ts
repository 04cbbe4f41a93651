import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { GenerationEvent } from "../../events.ts";

/** The parts that carry a piece of output. */
export type DeltaPart = Extract<LanguageModelV4StreamPart, { readonly delta: string }>;

/** Whether a part carries a piece of output, which can be cut in two. */
export function isDelta(part: LanguageModelV4StreamPart): part is DeltaPart {
  return part.type === "text-delta" || part.type === "reasoning-delta" || part.type === "tool-input-delta";
}

/**
 * Translates the parts of one answer for the guard, which has to know of output and of nothing else: a source or the end
 * of a block in the middle of a stop string does not make it two strings.
 */
export class PartEvents {
  readonly #streamed = new Set<string>();

  /** What a part says in events. Together they have as many characters as {@link charactersIn} the part. */
  of(part: LanguageModelV4StreamPart): readonly GenerationEvent[] {
    switch (part.type) {
      case "text-delta":
        return [{ type: "text", text: part.delta }];
      case "reasoning-delta":
        return [{ type: "reasoning", text: part.delta }];
      case "tool-input-start":
        this.#streamed.add(part.id);
        return [{ type: "tool-call-start", callId: part.id, name: part.toolName }];
      case "tool-input-delta":
        return [{ type: "tool-call-delta", callId: part.id, json: part.delta }];
      case "tool-input-end":
        return [{ type: "tool-call-end", callId: part.id }];
      case "tool-call":
        return this.#isStreamed(part.toolCallId) ? [] : wholeCall(part.toolCallId, part.toolName, part.input);
      default:
        return [];
    }
  }

  /** How many characters of output a part carries that no part before it has carried. */
  charactersIn(part: LanguageModelV4StreamPart): number {
    if (isDelta(part)) return part.delta.length;
    return part.type === "tool-call" && !this.#isStreamed(part.toolCallId) ? part.input.length : 0;
  }

  #isStreamed(callId: string): boolean {
    return this.#streamed.has(callId);
  }
}

function wholeCall(callId: string, name: string, json: string): readonly GenerationEvent[] {
  return [
    { type: "tool-call-start", callId, name },
    { type: "tool-call-delta", callId, json },
    { type: "tool-call-end", callId },
  ];
}
