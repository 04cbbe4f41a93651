import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4ResponseMetadata,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import type { Usage } from "../../events.ts";
import { BrokenAnswerError } from "../broken-answer.ts";
import { readUsage } from "./call-usage.ts";
import type { GuardedCall } from "./guarded-call.ts";

/** An answer as a stream, and what all of it has cost where that is known from its beginning. */
export interface OpenedAnswer extends LanguageModelV4StreamResult {
  readonly counts?: Usage | undefined;
}

/** An answer that came whole, as a stream: so the same rules hold for it in the same places. */
export function toStreamResult(answer: LanguageModelV4GenerateResult): OpenedAnswer {
  const { content, finishReason, usage, providerMetadata, warnings, request, response } = answer;
  const parts: LanguageModelV4StreamPart[] = [
    { type: "stream-start", warnings },
    ...content.flatMap((part, index) => toStreamParts(part, String(index))),
    { type: "finish", finishReason, usage, ...(providerMetadata && { providerMetadata }) },
  ];
  return {
    counts: readUsage(usage),
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
export async function collectAnswer(call: GuardedCall, isJson: boolean): Promise<LanguageModelV4GenerateResult> {
  const { request, response } = await call.start();
  let warnings: LanguageModelV4GenerateResult["warnings"] = [];
  let metadata: LanguageModelV4ResponseMetadata = {};
  let finish: Extract<LanguageModelV4StreamPart, { readonly type: "finish" }> | undefined;
  while (finish === undefined) {
    for (const part of await call.next()) {
      if (part.type === "stream-start") ({ warnings } = part);
      else if (part.type === "response-metadata") {
        const { type: _type, ...told } = part;
        metadata = told;
      } else if (part.type === "finish") finish = part;
    }
  }
  // Whoever asks for a whole answer is not given half of one. What came of it is told to `onFinish`.
  if (call.failure !== undefined) throw call.failure.error;
  const { finishReason, usage, providerMetadata } = finish;
  if (call.end === undefined) throw new TypeError("A finish came before the end of its call");
  const { signal, content } = call.end;
  if (finishReason.unified === "interrupted") throw new BrokenAnswerError(signal);
  const structuredOutputText = isJson ? finalAnswerOf(content) : undefined;
  return {
    content: [...content],
    ...(structuredOutputText !== undefined && { structuredOutputText }),
    finishReason,
    usage,
    warnings,
    ...(providerMetadata && { providerMetadata }),
    ...(request && { request }),
    response: { ...response, ...metadata },
  };
}

/** OpenAI marks the last word of an answer with drafts before it, which would make no JSON together. */
function finalAnswerOf(content: readonly LanguageModelV4Content[]): string | undefined {
  const final = content.findLast(({ providerMetadata }) => providerMetadata?.["openai"]?.["phase"] === "final_answer");
  return final?.type === "text" ? final.text : undefined;
}
