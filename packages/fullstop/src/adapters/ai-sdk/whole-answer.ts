import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4ResponseMetadata,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import type { GuardedCall } from "./guarded-call.ts";

/** An answer that came whole, as a stream: so the same rules hold for it in the same places. */
export function toStreamResult(answer: LanguageModelV4GenerateResult): LanguageModelV4StreamResult {
  const { content, finishReason, usage, providerMetadata, warnings, request, response } = answer;
  const parts: LanguageModelV4StreamPart[] = [
    { type: "stream-start", warnings },
    ...content.flatMap((part, index) => toStreamParts(part, String(index))),
    { type: "finish", finishReason, usage, ...(providerMetadata && { providerMetadata }) },
  ];
  return {
    stream: new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    }),
    ...(request && { request }),
    ...(response && { response }),
  };
}

function toStreamParts(part: LanguageModelV4Content, id: string): readonly LanguageModelV4StreamPart[] {
  if (part.type !== "text" && part.type !== "reasoning") return [part];
  const { type, text, providerMetadata } = part;
  const metadata = providerMetadata && { providerMetadata };
  const citations = type === "text" && part.citations !== undefined && { citations: part.citations };
  return type === "text"
    ? [
        { type: "text-start", id },
        { type: "text-delta", id, delta: text },
        { type: "text-end", id, ...citations, ...metadata },
      ]
    : [
        { type: "reasoning-start", id },
        { type: "reasoning-delta", id, delta: text },
        { type: "reasoning-end", id, ...metadata },
      ];
}

/** Reads a call to its end and puts it together as the answer to a request for a whole one. */
export async function collectAnswer(call: GuardedCall): Promise<LanguageModelV4GenerateResult> {
  const { request, response } = await call.start();
  let warnings: LanguageModelV4GenerateResult["warnings"] = [];
  let metadata: LanguageModelV4ResponseMetadata = {};
  let finish: Extract<LanguageModelV4StreamPart, { readonly type: "finish" }> | undefined;
  while (call.end === undefined) {
    for (const part of await call.next()) {
      if (part.type === "stream-start") ({ warnings } = part);
      else if (part.type === "response-metadata") {
        const { type: _type, ...told } = part;
        metadata = told;
      } else if (part.type === "finish") finish = part;
    }
  }
  // A whole answer cannot be half there: what failed is thrown, and what came of it is in `onFinish`.
  if (call.failure !== undefined) throw call.failure.error;
  if (finish === undefined) throw new TypeError("The call ended without a finish");
  const { finishReason, usage, providerMetadata } = finish;
  return {
    content: [...call.end.content],
    finishReason,
    usage,
    warnings,
    ...(providerMetadata && { providerMetadata }),
    ...(request && { request }),
    response: { ...response, ...metadata },
  };
}
