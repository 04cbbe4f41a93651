import type { NativeFields } from "../../request.ts";
import type { Answer } from "../reading/answer.ts";
import type { AnswerReader } from "../reading/decode.ts";
import { MAX_EVENT_SIZE } from "../framing/sse.ts";
import { INHERITED_NAMES, isRecord, jsonTextOf, listOf, parseJson, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { QuotedBlock } from "../reading/quoted-block.ts";
import { readCitation } from "./decode-citations.ts";
import { createUsageReader } from "./decode-usage.ts";
import { readEndingMetadata } from "./ending.ts";

/** How many blocks of a provider's own may be open at once. */
const MOST_OPEN_BLOCKS = 100;

const CALL_FIELDS: ReadonlySet<string> = new Set(["type", "id", "name", "input"]);

/** A block of what the provider does itself, and what has come for it since it began. */
interface ServerBlock {
  readonly block: JsonRecord;
  /** The pieces of its input. */
  json: string;
  /** Fields that replace those it began with. */
  readonly fields: [name: string, value: unknown][];
  /** How much has come for it, in characters of JSON. */
  size: number;
}

/** Opens a reader for an answer in Anthropic Messages. */
export function openMessagesReader(answer: Answer): AnswerReader {
  return new MessagesReader(answer);
}

class MessagesReader implements AnswerReader {
  readonly #answer: Answer;
  readonly #readUsage = createUsageReader();
  /** Blocks of what the provider does itself, by their index, until they are whole. */
  readonly #serverBlocks = new Map<number, ServerBlock>();
  readonly #quoted: QuotedBlock;
  /** What is said of the answer as a whole, at its beginning or its end. */
  #metadata: JsonRecord = {};

  constructor(answer: Answer) {
    this.#answer = answer;
    this.#quoted = new QuotedBlock(answer, readCitation);
    answer.beforeEnd(() => this.#quoted.end());
  }

  read(value: JsonRecord, event: string): void {
    // Some servers leave the type out of the payload, where it stands twice, others the name of the event.
    switch (value["type"] ?? event) {
      case "content_block_delta":
        this.#readDelta(recordOf(value["delta"]), indexOf(value));
        break;
      case "content_block_start":
        this.#readBlock(recordOf(value["content_block"]), indexOf(value));
        break;
      case "content_block_stop":
        this.#quoted.end();
        this.#answer.calls.finish(indexOf(value));
        this.#endServerBlock(indexOf(value));
        break;
      case "message_start":
        this.#readMessage(recordOf(value["message"]));
        break;
      case "message_delta": {
        this.#answer.usage(this.#readUsage(recordOf(value["usage"])));
        this.#readEnding("delta.stop_reason", recordOf(value["delta"]));
        break;
      }
      case "message_stop":
        this.#answer.complete();
        break;
      case "message":
        this.#answer.document();
        this.#readMessage(value);
        this.#readEnding("stop_reason", value);
        break;
      default:
        // Pings, and whatever is added to the protocol later.
        break;
    }
  }

  #readEnding(field: string, message: JsonRecord): void {
    const { stop_reason: reason, stop_sequence: sequence } = message;
    this.#metadata = { ...this.#metadata, ...readEndingMetadata(message) };
    this.#answer.finish(field, reason, sequence, this.#metadata);
  }

  #readMessage(message: JsonRecord): void {
    this.#metadata = readEndingMetadata(message);
    this.#answer.start(message["id"], message["model"]);
    for (const [index, block] of listOf(message["content"]).entries()) {
      this.#readBlock(recordOf(block), index);
      // Here an empty object is not a placeholder: the call has no arguments.
      if (isRecord(recordOf(block)["input"]) && this.#answer.calls.jsonOf(index) === "") {
        this.#answer.calls.add(index, "{}");
      }
      this.#quoted.end();
      this.#answer.calls.finish(index);
      this.#endServerBlock(index);
    }
    this.#answer.usage(this.#readUsage(recordOf(message["usage"])));
  }

  /** A block as it begins, which in a whole answer is all of it. Tools that the server runs itself are not calls. */
  #readBlock(block: JsonRecord, index: number): void {
    const answer = this.#answer;
    switch (block["type"]) {
      case "text":
        this.#quoted.begin(listOf(block["citations"]));
        answer.text(stringOf(block["text"]));
        break;
      case "thinking":
        answer.reasoning(stringOf(block["thinking"]));
        answer.signature(block["signature"]);
        break;
      case "redacted_thinking":
        answer.redactedReasoning(block["data"]);
        break;
      case "tool_use":
        answer.calls.start(index, stringOf(block["id"]), stringOf(block["name"]), nativeOf(block));
        this.#readInput(block["input"], index);
        break;
      default:
        this.#serverBlocks.set(index, { block, json: "", fields: [], size: 0 });
        // They come one after the other. What is kept here is nothing that anybody counts.
        if (this.#serverBlocks.size > MOST_OPEN_BLOCKS) throw new Error("Too many blocks have begun and not ended");
        break;
    }
  }

  /** Passes on a block of the provider's own doing, whose input has come in pieces as that of a call does. */
  #endServerBlock(index: number): void {
    const opened = this.#serverBlocks.get(index);
    if (opened === undefined) return;
    this.#serverBlocks.delete(index);
    const { block, json, fields } = opened;
    const input = json === "" ? undefined : parseJson(json);
    if (input !== undefined) fields.push(["input", input]);
    // Unlike an assignment this makes an own field also of one called `__proto__`.
    this.#answer.opaque(fields.length === 0 ? block : Object.fromEntries([...Object.entries(block), ...fields]));
  }

  /** Keeps what a piece says of an open block of the provider's own, such as the summary of what was compacted. */
  #addToServerBlock(opened: ServerBlock, delta: JsonRecord): void {
    grow(opened, JSON.stringify(delta).length);
    for (const field of Object.entries(delta)) if (field[0] !== "type") opened.fields.push(field);
  }

  /** A stream begins with an empty object that the pieces then replace; arguments that are no JSON come as text. */
  #readInput(input: unknown, index: number): void {
    const isPlaceholder = isRecord(input) && Object.keys(input).length === 0;
    if (!isPlaceholder) this.#answer.calls.add(index, jsonTextOf(input));
  }

  #readDelta(delta: JsonRecord, index: number): void {
    switch (delta["type"]) {
      case "text_delta":
        this.#answer.text(stringOf(delta["text"]));
        break;
      case "input_json_delta": {
        const json = stringOf(delta["partial_json"]);
        const opened = this.#serverBlocks.get(index);
        if (opened === undefined) {
          // Whatever call it belongs to must not be run without it.
          if (!this.#answer.calls.add(index, json)) this.#answer.malformed();
        } else {
          grow(opened, json.length);
          opened.json += json;
        }
        break;
      }
      case "thinking_delta":
        this.#answer.reasoning(stringOf(delta["thinking"]));
        break;
      case "signature_delta": {
        const opened = this.#serverBlocks.get(index);
        if (opened === undefined) this.#answer.signature(delta["signature"]);
        else this.#addToServerBlock(opened, delta);
        break;
      }
      case "citations_delta":
        this.#quoted.add(delta["citation"]);
        break;
      default: {
        // What is not known to be a piece of something is the value itself.
        const opened = this.#serverBlocks.get(index);
        if (opened !== undefined) this.#addToServerBlock(opened, delta);
        break;
      }
    }
  }
}

/** What comes for a block in many events may be no more than what may come in one. */
function grow(opened: ServerBlock, length: number): void {
  opened.size += length;
  if (opened.size > MAX_EVENT_SIZE) throw new Error("A block is larger than the limit");
}

/** What is said of a call beside what every call has, if there is anything. */
function nativeOf(block: JsonRecord): NativeFields | undefined {
  const own = Object.entries(block).filter(isOwnField);
  return own.length === 0 ? undefined : { format: "anthropic-messages", fields: Object.fromEntries(own) };
}

/** That the model itself has made a call is said of every call that nobody else has made. */
function isOwnField([name, value]: readonly [string, unknown]): boolean {
  if (CALL_FIELDS.has(name) || INHERITED_NAMES.has(name) || value === null) return false;
  return name !== "caller" || recordOf(value)["type"] !== "direct";
}

function indexOf(value: JsonRecord): number {
  return typeof value["index"] === "number" ? value["index"] : 0;
}
