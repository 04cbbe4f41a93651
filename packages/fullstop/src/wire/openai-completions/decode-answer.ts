import type { Answer } from "../reading/answer.ts";
import type { AnswerReader } from "../reading/decode.ts";
import type { DecodeOptions } from "../format.ts";
import { countOf, isRecord, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { decodeChatUsage } from "../openai-chat/decode-usage.ts";
import { failureSignal, isFailedStatus } from "../reading/failure.ts";
import { createUsage } from "../reading/usage.ts";

/**
 * Opens a reader for a text completion: OpenAI's legacy route, llama.cpp's `/completion` and the `generate` routes of
 * SGLang and Text Generation Inference, which differ in where the text and the reason stand.
 */
export function openCompletionsReader(answer: Answer, options: DecodeOptions): AnswerReader {
  return new CompletionsReader(answer, options.choice ?? 0);
}

class CompletionsReader implements AnswerReader {
  readonly #answer: Answer;
  readonly #choice: number;
  #hasTokens = false;
  #textLength = 0;

  constructor(answer: Answer, choice: number) {
    this.#answer = answer;
    this.#choice = choice;
  }

  read(value: JsonRecord, _event: string, isDocument: boolean): void {
    if (isDocument) this.#answer.document();
    if (isRecord(value["meta_info"])) this.#readSglang(value, value["meta_info"]);
    else if (Array.isArray(value["choices"])) this.#readOpenai(value);
    else if (typeof value["stop"] === "boolean" || "stop_type" in value) this.#readLlama(value);
    else if (isRecord(value["token"]) || typeof value["generated_text"] === "string") this.#readInference(value);
  }

  #readOpenai(value: JsonRecord): void {
    const answer = this.#answer;
    answer.start(value["id"], value["model"]);
    for (const [position, choice] of listOf(value["choices"]).entries()) {
      const record = recordOf(choice);
      if ((record["index"] ?? position) !== this.#choice) continue;
      answer.text(stringOf(record["text"]));
      const { stop_reason: stopReason, matched_stop: matchedStop } = record;
      const matched = stopReason ?? (typeof matchedStop === "string" ? matchedStop : undefined);
      answer.finish(`choices[${this.#choice}].finish_reason`, record["finish_reason"], matched);
    }
    if (isRecord(value["usage"])) answer.usage(decodeChatUsage(value["usage"]));
  }

  #readLlama(value: JsonRecord): void {
    const answer = this.#answer;
    answer.start("", value["model"]);
    answer.text(stringOf(value["content"]));
    if (value["stop"] !== true) return;
    const counts = {
      inputTokens: countOf(value["tokens_evaluated"]),
      outputTokens: countOf(value["tokens_predicted"]),
    };
    answer.usage(createUsage(counts));
    // One word for every limit; only the flag beside it tells that the context was full.
    const isFull = value["stop_type"] === "limit" && value["truncated"] === true;
    if (isFull) answer.finishAs({ reason: "context_window_exceeded", confidence: "high" }, "truncated", "true");
    else answer.finish("stop_type", value["stop_type"], value["stopping_word"]);
    answer.complete();
  }

  /** SGLang sends all of the text so far with each piece. */
  #readSglang(value: JsonRecord, meta: JsonRecord): void {
    const answer = this.#answer;
    const text = stringOf(value["text"]);
    answer.start(meta["id"], "");
    answer.text(text.slice(this.#textLength));
    this.#textLength = Math.max(this.#textLength, text.length);
    const outputTokens = countOf(meta["completion_tokens"]);
    answer.usage(createUsage({ inputTokens: countOf(meta["prompt_tokens"]), outputTokens }));
    const { finish_reason: reason } = meta;
    answer.finish("meta_info.finish_reason", reason);
    // One word for an order to stop and for what the server could not do, which has a status as well.
    const { status_code: status, err_type: type, message } = recordOf(reason);
    if (typeof status !== "number" || !isFailedStatus(status)) return;
    answer.fail(failureSignal({ message: stringOf(message), type: stringOf(type) || undefined, status }));
  }

  #readInference(value: JsonRecord): void {
    const answer = this.#answer;
    const { token, generated_text: whole, details } = value;
    answer.start("", "");
    if (isRecord(token)) {
      this.#hasTokens = true;
      // Control tokens are part of the output there, not of the text.
      if (token["special"] !== true) answer.text(stringOf(token["text"]));
    } else if (!this.#hasTokens) {
      answer.document();
      answer.text(stringOf(whole));
    }
    if (!isRecord(details)) return;
    const outputTokens = countOf(details["generated_tokens"]);
    answer.usage(createUsage({ inputTokens: countOf(details["input_length"]), outputTokens }));
    answer.finish("details.finish_reason", details["finish_reason"]);
  }
}
