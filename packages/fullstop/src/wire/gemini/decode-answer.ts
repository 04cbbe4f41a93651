import type { Answer } from "../reading/answer.ts";
import type { AnswerReader } from "../reading/decode.ts";
import type { DecodeOptions } from "../format.ts";
import { isRecord, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { decodeGeminiUsage } from "./decode-usage.ts";

/** Opens a reader for an answer of generateContent or streamGenerateContent, whose chunks look like whole answers. */
export function openGeminiReader(answer: Answer, options: DecodeOptions): AnswerReader {
  return new GeminiReader(answer, options.choice ?? 0);
}

class GeminiReader implements AnswerReader {
  readonly #answer: Answer;
  readonly #candidate: number;
  #calls = 0;

  constructor(answer: Answer, candidate: number) {
    this.#answer = answer;
    this.#candidate = candidate;
  }

  read(value: JsonRecord, _event: string, isDocument: boolean): void {
    const { candidates, promptFeedback, usageMetadata } = value;
    const isAnswer = Array.isArray(candidates) || isRecord(promptFeedback) || isRecord(usageMetadata);
    if (!isAnswer) return;
    if (isDocument) this.#answer.document();
    this.#answer.start(value["responseId"], value["modelVersion"]);
    for (const candidate of listOf(candidates)) {
      if (isRecord(candidate) && (candidate["index"] ?? 0) === this.#candidate) this.#readCandidate(candidate);
    }
    if (isRecord(usageMetadata)) this.#answer.usage(decodeGeminiUsage(usageMetadata));
    if (isRecord(promptFeedback)) this.#readPromptFeedback(promptFeedback);
  }

  #readCandidate(candidate: JsonRecord): void {
    let isCodeRunning = false;
    for (const part of listOf(recordOf(candidate["content"])["parts"])) {
      isCodeRunning = isRecord(part) && isRecord(part["executableCode"]);
      this.#readPart(recordOf(part));
    }
    // While the service runs the model's code the value says that this round is over, not that the answer is.
    if (!isCodeRunning) {
      this.#answer.finish(`candidates[${this.#candidate}].finishReason`, candidate["finishReason"]);
    }
  }

  #readPart(part: JsonRecord): void {
    const { text, functionCall, thoughtSignature } = part;
    if (isRecord(functionCall)) {
      this.#readCall(functionCall, thoughtSignature);
      return;
    }
    if (typeof text === "string") {
      if (part["thought"] === true) this.#answer.reasoning(text);
      else this.#answer.text(text);
    } else if (Object.keys(part).length > 0) {
      // Code that the service runs and what comes of it, images and whatever else there may be.
      this.#answer.opaque("gemini", part);
      return;
    }
    this.#answer.signature(thoughtSignature);
  }

  #readCall(call: JsonRecord, signature: unknown): void {
    const key = this.#calls++;
    const { calls } = this.#answer;
    calls.start(key, stringOf(call["id"]), stringOf(call["name"]));
    calls.add(key, JSON.stringify(call["args"] ?? {}));
    calls.sign(key, stringOf(signature));
    calls.finish(key);
  }

  #readPromptFeedback({ blockReason }: JsonRecord): void {
    if (typeof blockReason !== "string" || blockReason === "") return;
    const meaning = { reason: "content_filtered", confidence: "high", detail: "prompt" } as const;
    this.#answer.finishAs(meaning, "promptFeedback.blockReason", blockReason);
  }
}
