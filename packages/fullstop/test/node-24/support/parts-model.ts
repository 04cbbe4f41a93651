import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { MockLanguageModelV4 } from "ai/test";

/** A model whose answer is a stream of these parts, for what no provider can be made to send. */
export function createPartsModel(parts: readonly LanguageModelV4StreamPart[]): LanguageModelV4 {
  const open = (): ReadableStream<LanguageModelV4StreamPart> =>
    new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
  return new MockLanguageModelV4({ doStream: () => Promise.resolve({ stream: open() }) });
}
