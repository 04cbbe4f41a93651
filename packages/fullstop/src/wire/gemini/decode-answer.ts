import type { Answer } from "../reading/answer.ts";
import type { AnswerReader } from "../reading/decode.ts";
import { NO_WORD, isAbsent } from "../reading/finish-words.ts";
import type { FinishMeaning } from "../reading/finish-words.ts";
import { sanitiseWord } from "../reading/sanitise.ts";
import type { DecodeOptions } from "../format.ts";
import { isRecord, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { encodeContinuation } from "./continuation.ts";
import { CallPieces } from "./decode-call-pieces.ts";
import { GeminiCitationReader } from "./decode-citations.ts";
import { decodeGeminiUsage } from "./decode-usage.ts";

/** Opens a reader for an answer of generateContent or streamGenerateContent, whose chunks look like whole answers. */
export function openGeminiReader(answer: Answer, options: DecodeOptions): AnswerReader {
  return new GeminiReader(answer, options.choice ?? 0);
}

const PROMPT_BLOCKED: FinishMeaning = { reason: "content_filtered", confidence: "high", detail: "prompt" };

class GeminiReader implements AnswerReader {
  readonly #answer: Answer;
  readonly #candidate: number;
  readonly #citations: GeminiCitationReader;
  #calls = 0;
  readonly #pieces = new CallPieces();
  /** The last token by which the answer can go on. One comes now and then, in case that the connection breaks. */
  #token = "";

  constructor(answer: Answer, candidate: number) {
    this.#answer = answer;
    this.#candidate = candidate;
    this.#citations = new GeminiCitationReader(answer);
    answer.beforeEnd(() => {
      this.#breakCall(this.#pieces.end());
      this.#citations.end();
    });
    // The service says `STOP` after a round of code, and in some versions on every chunk.
    answer.provisional();
  }

  read(value: JsonRecord, _event: string, isDocument: boolean): void {
    const { candidates, promptFeedback, usageMetadata } = value;
    const isAnswer = Array.isArray(candidates) || isRecord(promptFeedback) || isRecord(usageMetadata);
    if (!isAnswer) return;
    if (isDocument) this.#answer.document();
    this.#answer.start(value["responseId"], value["modelVersion"]);
    for (const [position, candidate] of listOf(candidates).entries()) {
      if (isRecord(candidate) && (candidate["index"] ?? position) === this.#candidate) this.#readCandidate(candidate);
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
    this.#citations.read(candidate);
    this.#token = stringOf(candidate["continuationToken"]) || this.#token;
    if (candidate["finishReason"] === "CONTINUATION" && this.#token !== "") {
      this.#answer.opaque(encodeContinuation(this.#token));
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
      else this.#readText(text);
    } else if (Object.keys(part).length > 0) {
      // Code that the service runs and what comes of it, images and whatever else there may be.
      this.#answer.opaque(part);
      return;
    }
    this.#answer.signature(thoughtSignature);
  }

  #readText(text: string): void {
    this.#citations.addText(text);
    this.#answer.text(text);
  }

  #readCall(call: JsonRecord, signature: unknown): void {
    const { calls } = this.#answer;
    const { brokenJson, isFirst, wholeJson } = this.#pieces.read(call);
    this.#breakCall(brokenJson);
    if (isFirst) {
      this.#calls += 1;
      calls.start(this.#calls, stringOf(call["id"]), stringOf(call["name"]));
    }
    calls.sign(this.#calls, stringOf(signature));
    if (wholeJson === undefined) return;
    calls.add(this.#calls, wholeJson);
    calls.finish(this.#calls);
  }

  /** A call has ended before its last piece came. */
  #breakCall(json: string | undefined): void {
    if (json === undefined) return;
    this.#answer.calls.add(this.#calls, json);
    this.#answer.calls.break(this.#calls);
  }

  #readPromptFeedback({ blockReason }: JsonRecord): void {
    if (typeof blockReason !== "string" || isAbsent(blockReason)) return;
    // The default of the protocol says that nothing was blocked. Google's two services spell it in two ways.
    const isDefault = /^block(?:ed)?_reason_unspecified$/iu.test(blockReason);
    const meaning = isDefault ? NO_WORD : PROMPT_BLOCKED;
    this.#answer.finishAs(meaning, "promptFeedback.blockReason", sanitiseWord(blockReason));
  }
}
