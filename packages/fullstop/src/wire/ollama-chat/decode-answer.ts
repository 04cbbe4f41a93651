import type { Answer } from "../reading/answer.ts";
import type { AnswerReader } from "../reading/decode.ts";
import { countOf, isRecord, jsonTextOf, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { createUsage } from "../reading/usage.ts";

/** Opens a reader for an answer in Ollama's own dialect, of its chat route or its generate route. */
export function openOllamaReader(answer: Answer): AnswerReader {
  return new OllamaReader(answer);
}

class OllamaReader implements AnswerReader {
  readonly #answer: Answer;
  #calls = 0;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  read(value: JsonRecord): void {
    const { message, response, done } = value;
    const isLine = isRecord(message) || typeof response === "string" || typeof done === "boolean";
    if (!isLine) return;
    const answer = this.#answer;
    answer.start("", value["model"], value["created_at"]);
    if (isRecord(message)) this.#readMessage(message);
    answer.reasoning(stringOf(value["thinking"]));
    answer.text(stringOf(response));
    const usage = { inputTokens: countOf(value["prompt_eval_count"]), outputTokens: countOf(value["eval_count"]) };
    answer.usage(createUsage(usage));
    answer.finish("done_reason", value["done_reason"]);
    // Some backends send the reason without the flag; then the end of the input has to do.
    if (done === true) answer.complete();
  }

  #readMessage(message: JsonRecord): void {
    this.#answer.reasoning(stringOf(message["thinking"]));
    this.#answer.text(stringOf(message["content"]));
    for (const call of listOf(message["tool_calls"])) this.#readCall(recordOf(call));
  }

  #readCall(call: JsonRecord): void {
    const key = this.#calls++;
    const { name, arguments: input } = recordOf(call["function"]);
    const { calls } = this.#answer;
    calls.start(key, stringOf(call["id"]), stringOf(name));
    calls.add(key, jsonTextOf(input));
    calls.finish(key);
  }
}
