import type { Usage } from "../../events.ts";
import type { Answer } from "../reading/answer.ts";
import { toCitation } from "../reading/citation.ts";
import type { AnswerReader } from "../reading/decode.ts";
import { failureSignal } from "../reading/failure.ts";
import { meaningOf } from "../reading/finish-words.ts";
import { countOf, isRecord, jsonTextOf, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { createUsage } from "../reading/usage.ts";

/** Opens a reader for an answer of Cohere's chat. */
export function openCohereReader(answer: Answer): AnswerReader {
  return new CohereReader(answer);
}

class CohereReader implements AnswerReader {
  readonly #answer: Answer;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  read(value: JsonRecord, event: string): void {
    const answer = this.#answer;
    const delta = recordOf(value["delta"]);
    const message = recordOf(delta["message"]);
    const index = typeof value["index"] === "number" ? value["index"] : 0;
    switch (value["type"] ?? event) {
      case "message-start":
        answer.start(value["id"], "");
        break;
      case "content-start":
      case "content-delta":
        this.#readContent(recordOf(message["content"]));
        break;
      case "tool-plan-delta":
        answer.reasoning(stringOf(message["tool_plan"]));
        break;
      case "tool-call-start":
        this.#readCall(recordOf(message["tool_calls"]), index);
        break;
      case "tool-call-delta":
        answer.calls.add(index, stringOf(recordOf(recordOf(message["tool_calls"])["function"])["arguments"]));
        break;
      case "tool-call-end":
        answer.calls.finish(index);
        break;
      case "citation-start":
        this.#readCitation(recordOf(message["citations"]));
        break;
      case "message-end":
        this.#readEnd(delta);
        answer.complete();
        break;
      default:
        if (isRecord(value["message"])) this.#readWhole(value, value["message"]);
        break;
    }
  }

  #readWhole(value: JsonRecord, message: JsonRecord): void {
    this.#answer.document();
    this.#answer.start(value["id"], "");
    // What the model means to do with its tools is thinking, under a name of its own.
    this.#answer.reasoning(stringOf(message["tool_plan"]));
    for (const part of listOf(message["content"])) this.#readContent(recordOf(part));
    for (const citation of listOf(message["citations"])) this.#readCitation(recordOf(citation));
    for (const [index, call] of listOf(message["tool_calls"]).entries()) {
      this.#readCall(recordOf(call), index);
      this.#answer.calls.finish(index);
    }
    this.#readEnd(value);
  }

  #readContent({ text, thinking }: JsonRecord): void {
    this.#answer.reasoning(stringOf(thinking));
    this.#answer.text(stringOf(text));
  }

  /** A stretch of the text and all that it is from, of which each is a citation. */
  #readCitation(citation: JsonRecord): void {
    const { start, end, sources, type } = citation;
    // Plans and thinking have citations too, with their places there.
    if (type === "PLAN" || type === "THINKING_CONTENT") return;
    for (const source of listOf(sources)) {
      const { url, title } = recordOf(recordOf(source)["document"]);
      this.#answer.citation(toCitation(source, { url, title, start, end }));
    }
  }

  #readCall(call: JsonRecord, index: number): void {
    const { name, arguments: json } = recordOf(call["function"]);
    this.#answer.calls.start(index, stringOf(call["id"]), stringOf(name));
    this.#answer.calls.add(index, jsonTextOf(json));
  }

  #readEnd({ usage, error, finish_reason: reason }: JsonRecord): void {
    if (isRecord(usage)) this.#answer.usage(readUsage(usage));
    const word = stringOf(reason);
    this.#answer.finish("finish_reason", reason);
    // The sentence explains the word; only a word that says no more than that is an error.
    const isError = word === "" || meaningOf(word).reason === "error_termination";
    if (typeof error === "string" && error !== "" && isError) {
      this.#answer.fail(failureSignal({ message: error, ...(word !== "" && { type: word }) }));
    }
  }
}

/** The tokens the model has seen and written, not the ones that are paid for. */
function readUsage(usage: JsonRecord): Usage | undefined {
  const tokens = recordOf(usage["tokens"]);
  return createUsage({
    inputTokens: countOf(tokens["input_tokens"]),
    outputTokens: countOf(tokens["output_tokens"]),
    cachedInputTokens: countOf(usage["cached_tokens"]),
    reasoningTokens: countOf(tokens["reasoning_tokens"]),
  });
}
