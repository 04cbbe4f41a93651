import type { Answer } from "../reading/answer.ts";
import type { AnswerReader } from "../reading/decode.ts";
import { failureSignal, readFailure } from "../reading/failure.ts";
import { meaningOf } from "../reading/finish-words.ts";
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
        this.#output.beginItem(value);
        break;
      case "response.output_item.done":
        this.#output.completeItem(value);
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
    const { status } = response;
    const word = wordOf(stringOf(status), type);
    if (typeof reason === "string" && !FINAL_STATUSES.has(word)) answer.finish("incomplete_details.reason", reason);
    else if (word === "" || word === status) answer.finish("status", status);
    // The status has not been brought up to date, so that the name of the event is the word that stood there.
    else answer.finishAs(meaningOf(word), "type", type);
    if (type !== "response") answer.complete();
  }
}

/** Statuses that say it all, whatever details stand beside them. */
const FINAL_STATUSES: ReadonlySet<string> = new Set(["completed", "failed"]);

/** The word for how a response ended. The event that ends it says so even if the status is old or missing. */
function wordOf(status: string, type: string): string {
  const isOld = status === "" || status === "in_progress" || status === "queued";
  if (!isOld || type === "response") return status;
  return type === "response.done" ? "completed" : type.slice("response.".length);
}
