import type { Answer } from "../reading/answer.ts";
import type { AnswerReader } from "../reading/decode.ts";
import { failureSignal, readFailure } from "../reading/failure.ts";
import { isRecord, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { OutputReader } from "./decode-output.ts";
import { decodeResponsesUsage } from "./decode-usage.ts";

/** Opens a reader for an answer in OpenAI Responses. */
export function openResponsesReader(answer: Answer): AnswerReader {
  return new ResponsesReader(answer);
}

class ResponsesReader implements AnswerReader {
  readonly #answer: Answer;
  readonly #output: OutputReader;

  constructor(answer: Answer) {
    this.#answer = answer;
    this.#output = new OutputReader(answer);
  }

  read(value: JsonRecord, event: string): void {
    const type = stringOf(value["type"] ?? event);
    if (this.#output.readDelta(type, value)) return;
    switch (type) {
      case "response.output_item.added":
        this.#output.beginItem(recordOf(value["item"]), positionOf(value));
        break;
      case "response.output_item.done":
        this.#output.completeItem(recordOf(value["item"]), positionOf(value));
        break;
      case "response.created":
      case "response.queued":
      case "response.in_progress":
        this.#readStart(recordOf(value["response"]));
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
      case "response.done":
        this.#readEnd(recordOf(value["response"]), type);
        break;
      default:
        if (value["object"] === "response" || (Array.isArray(value["output"]) && "status" in value)) {
          this.#answer.document();
          this.#readEnd(value, "response");
        }
        break;
    }
  }

  #readStart(response: JsonRecord): void {
    this.#answer.start(response["id"], response["model"]);
  }

  /** The whole answer once more, or for the first time. Its output may be left out where it has been sent in pieces. */
  #readEnd(response: JsonRecord, type: string): void {
    const answer = this.#answer;
    this.#readStart(response);
    this.#output.readAll(response["output"]);
    if (isRecord(response["usage"])) answer.usage(decodeResponsesUsage(response["usage"]));
    if (isRecord(response["error"])) {
      answer.fail(failureSignal(readFailure(response["error"])));
      return;
    }
    const reason = recordOf(response["incomplete_details"])["reason"];
    const status = stringOf(response["status"]);
    // The name of the event is as good as the status that it stands for.
    const word = status === "" && type !== "response" ? type.slice("response.".length) : status;
    if (typeof reason === "string" && word !== "completed") answer.finish("incomplete_details.reason", reason);
    else answer.finish("status", word === "done" ? "completed" : word);
    if (type !== "response") answer.complete();
  }
}

function positionOf(value: JsonRecord): number {
  return typeof value["output_index"] === "number" ? value["output_index"] : 0;
}
