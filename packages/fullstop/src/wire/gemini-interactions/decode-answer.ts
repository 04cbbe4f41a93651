import type { Usage } from "../../events.ts";
import type { Answer } from "../reading/answer.ts";
import type { AnswerReader } from "../reading/decode.ts";
import { failureSignal, readFailure } from "../reading/failure.ts";
import { countOf, isRecord, jsonTextOf, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { createUsage, sumOf } from "../reading/usage.ts";

/** Opens a reader for an answer of Google's Interactions. */
export function openInteractionsReader(answer: Answer): AnswerReader {
  return new InteractionsReader(answer);
}

class InteractionsReader implements AnswerReader {
  readonly #answer: Answer;
  /** Whether pieces have told what the steps of the whole answer tell again. */
  #isTold = false;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  read(value: JsonRecord, event: string): void {
    const index = typeof value["index"] === "number" ? value["index"] : 0;
    switch (value["event_type"] ?? event) {
      case "interaction.created":
        this.#readStart(recordOf(value["interaction"]));
        break;
      case "step.start":
        this.#isTold = true;
        this.#readStep(recordOf(value["step"]), index);
        break;
      case "step.delta":
        this.#readDelta(recordOf(value["delta"]), index);
        break;
      case "step.stop":
        this.#answer.calls.finish(index);
        break;
      case "interaction.status_update":
        this.#readUpdate(value);
        break;
      case "interaction.completed":
        this.#readEnd(recordOf(value["interaction"]));
        break;
      default:
        if (value["object"] === "interaction" || Array.isArray(value["steps"])) {
          this.#answer.document();
          this.#readEnd(value);
        }
        break;
    }
  }

  #readStart(interaction: JsonRecord): void {
    this.#answer.start(interaction["id"], interaction["model"]);
  }

  #readStep(step: JsonRecord, index: number): void {
    const answer = this.#answer;
    switch (step["type"]) {
      case "model_output":
        for (const part of listOf(step["content"])) answer.text(stringOf(recordOf(part)["text"]));
        break;
      case "thought":
        for (const part of listOf(step["summary"])) answer.reasoning(stringOf(recordOf(part)["text"]));
        answer.signature(step["signature"]);
        break;
      case "function_call":
        answer.calls.start(index, stringOf(step["id"]), stringOf(step["name"]));
        // A stream begins with an empty object that the pieces then replace.
        if (isRecord(step["arguments"]) && Object.keys(step["arguments"]).length > 0) {
          answer.calls.add(index, JSON.stringify(step["arguments"]));
        }
        break;
      default:
        answer.supersede();
        break;
    }
  }

  #readDelta(delta: JsonRecord, index: number): void {
    switch (delta["type"]) {
      case "text":
        this.#answer.text(stringOf(delta["text"]));
        break;
      case "thought_summary":
        this.#answer.reasoning(stringOf(recordOf(delta["content"])["text"] ?? delta["text"]));
        break;
      case "thought_signature":
        this.#answer.signature(delta["signature"]);
        break;
      case "arguments_delta":
        this.#answer.calls.add(index, jsonTextOf(delta["arguments"]));
        break;
      default:
        break;
    }
  }

  /** The whole interaction. With automatic continuation one comes after each hop, and only the last one is the end. */
  #readEnd(interaction: JsonRecord): void {
    const answer = this.#answer;
    this.#readStart(interaction);
    if (!this.#isTold) {
      for (const [index, step] of listOf(interaction["steps"]).entries()) {
        this.#readStep(recordOf(step), index);
        if (answer.calls.jsonOf(index) === "") answer.calls.add(index, "{}");
        answer.calls.finish(index);
      }
    }
    this.#readStatus(interaction);
  }

  /** How far the interaction has come. One that was stopped from elsewhere may end with it. */
  #readUpdate(update: JsonRecord): void {
    if (update["status"] !== "in_progress" && update["status"] !== "queued") this.#readStatus(update);
  }

  #readStatus(interaction: JsonRecord): void {
    const answer = this.#answer;
    if (isRecord(interaction["usage"])) answer.usage(readUsage(interaction["usage"]));
    const { status } = interaction;
    const error = interaction["error"] ?? listOf(interaction["errors"])[0];
    if (status === "failed" && isRecord(error)) answer.fail(failureSignal(readFailure(error)));
    else if (status === "incomplete") {
      answer.finishAs({ reason: "token_limit_reached", confidence: "high" }, "status", status);
    } else answer.finish("status", status);
  }
}

function readUsage(usage: JsonRecord): Usage | undefined {
  const thoughts = countOf(usage["total_thought_tokens"]);
  return createUsage({
    inputTokens: sumOf(countOf(usage["total_input_tokens"]), countOf(usage["total_tool_use_tokens"])),
    outputTokens: sumOf(countOf(usage["total_output_tokens"]), thoughts),
    cachedInputTokens: countOf(usage["total_cached_tokens"]),
    reasoningTokens: thoughts,
  });
}
