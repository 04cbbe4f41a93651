import type { Answer } from "../reading/answer.ts";
import { listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";

type Kind = "text" | "refusal" | "reasoning" | "summary";

/** One part of one output item, and what has been passed on of it. */
interface Part {
  readonly kind: Kind;
  readonly item: number;
  readonly index: number;
  text: string;
}

/** Items that ask the caller for something other than a function: what they are called and where their request stands. */
const OTHER_CALLS: Readonly<Record<string, string>> = {
  computer_call: "action",
  local_shell_call: "action",
  shell_call: "action",
  apply_patch_call: "operation",
  mcp_approval_request: "arguments",
};

/**
 * Reads the output items of an answer. The same text comes up to four times: in pieces, when its part is done, when
 * its item is done, and in the whole answer at the end. Each time only what is new is passed on, so that servers that
 * leave out any of these lose nothing.
 */
export class OutputReader {
  readonly #answer: Answer;
  readonly #parts: Part[] = [];
  readonly #signed = new Set<number>();
  /** The places of items that only the provider understands and that have been passed on. */
  readonly #hosted = new Set<number>();
  #current: Part | undefined;
  #isTold: Record<"text" | "reasoning" | "calls", boolean> = { text: false, reasoning: false, calls: false };

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  /** Reads an event about a part of an item. Tells whether it was one. */
  readDelta(type: string, value: JsonRecord): boolean {
    switch (type) {
      case "response.output_text.delta":
        this.#add(this.#partOf("text", value, "content_index"), stringOf(value["delta"]));
        return true;
      case "response.output_text.done":
        this.#fill(this.#partOf("text", value, "content_index"), stringOf(value["text"]));
        return true;
      case "response.refusal.delta":
        this.#add(this.#partOf("refusal", value, "content_index"), stringOf(value["delta"]));
        return true;
      case "response.refusal.done":
        this.#fill(this.#partOf("refusal", value, "content_index"), stringOf(value["refusal"]));
        return true;
      case "response.reasoning_summary_text.delta":
        this.#add(this.#partOf("summary", value, "summary_index"), stringOf(value["delta"]));
        return true;
      case "response.reasoning_summary_text.done":
        this.#fill(this.#partOf("summary", value, "summary_index"), stringOf(value["text"]));
        return true;
      // The open variant of the protocol has its own name for the same event.
      case "response.reasoning_text.delta":
      case "response.reasoning.delta":
        this.#add(this.#partOf("reasoning", value, "content_index"), stringOf(value["delta"]));
        return true;
      case "response.reasoning_text.done":
      case "response.reasoning.done":
        this.#fill(this.#partOf("reasoning", value, "content_index"), stringOf(value["text"]));
        return true;
      case "response.function_call_arguments.delta":
        this.#answer.calls.add(numberOf(value["output_index"]), stringOf(value["delta"]));
        return true;
      case "response.function_call_arguments.done":
        this.#fillCall(numberOf(value["output_index"]), stringOf(value["arguments"]));
        return true;
      default:
        return false;
    }
  }

  /** An item has begun. Only a call is worth telling at this point. */
  beginItem(item: JsonRecord, position: number): void {
    if (item["type"] === "function_call") this.#startCall(item, position);
    else this.#answer.supersede();
  }

  /** An item is all there. */
  completeItem(item: JsonRecord, position: number): void {
    switch (item["type"]) {
      case "message":
        for (const [index, part] of listOf(item["content"]).entries()) {
          const { type, text, refusal } = recordOf(part);
          if (type === "refusal") this.#fill(this.#find("refusal", position, index), stringOf(refusal));
          else this.#fill(this.#find("text", position, index), stringOf(text));
        }
        break;
      case "reasoning":
        this.#readParts("summary", item["summary"], position);
        this.#readParts("reasoning", item["content"], position);
        if (!this.#signed.has(position)) this.#answer.signature(item["encrypted_content"]);
        this.#signed.add(position);
        break;
      case "function_call":
        if (!this.#answer.calls.has(position)) this.#startCall(item, position);
        this.#fillCall(position, stringOf(item["arguments"]));
        break;
      case "custom_tool_call":
        this.#readWholeCall(item, position, { input: stringOf(item["input"]) });
        break;
      default: {
        // Tools that the provider runs itself are not calls for the caller.
        const field = OTHER_CALLS[stringOf(item["type"])];
        if (field !== undefined) this.#readWholeCall(item, position, item[field] ?? {});
        else this.#readHosted(item, position);
        break;
      }
    }
  }

  /** The output of the whole answer, of which nothing is new but what no event has told. */
  readAll(output: unknown): void {
    const { text, reasoning, calls } = this.#isTold;
    for (const [position, item] of listOf(output).entries()) {
      const record = recordOf(item);
      const { type } = record;
      const isTold = type === "message" ? text : type === "reasoning" ? reasoning : calls;
      if (!isTold) this.completeItem(record, position);
      else if (type === "message") this.#fillMessage(record);
    }
  }

  /** The rest of a message whose beginning has come in pieces. Its place in the list may differ from theirs. */
  #fillMessage(item: JsonRecord): void {
    for (const part of listOf(item["content"])) {
      const text = stringOf(recordOf(part)["text"]);
      const begun = this.#parts.findLast(({ kind }) => kind === "text");
      if (begun !== undefined) this.#fill(begun, text);
    }
  }

  #readParts(kind: Kind, parts: unknown, position: number): void {
    for (const [index, part] of listOf(parts).entries()) {
      this.#fill(this.#find(kind, position, index), stringOf(recordOf(part)["text"]));
    }
  }

  #startCall(item: JsonRecord, position: number): void {
    this.#isTold.calls = true;
    this.#answer.calls.start(position, stringOf(item["call_id"] ?? item["id"]), stringOf(item["name"] ?? item["type"]));
  }

  #fillCall(position: number, json: string): void {
    const { calls } = this.#answer;
    const known = calls.jsonOf(position);
    if (json.startsWith(known)) calls.add(position, json.slice(known.length));
    calls.finish(position);
  }

  #readWholeCall(item: JsonRecord, position: number, input: unknown): void {
    if (this.#answer.calls.has(position)) return;
    this.#startCall(item, position);
    this.#fillCall(position, typeof input === "string" ? input : JSON.stringify(input));
  }

  #readHosted(item: JsonRecord, position: number): void {
    if (this.#hosted.has(position)) return;
    this.#hosted.add(position);
    this.#isTold.calls = true;
    this.#answer.opaque("openai-responses", item);
  }

  /** The part an event is about. Most events are about the same part as the one before. */
  #partOf(kind: Kind, value: JsonRecord, indexField: string): Part {
    const item = numberOf(value["output_index"]);
    const index = numberOf(value[indexField]);
    const current = this.#current;
    if (current?.kind === kind && current.item === item && current.index === index) return current;
    return this.#find(kind, item, index);
  }

  #find(kind: Kind, item: number, index: number): Part {
    let part = this.#parts.find((known) => known.kind === kind && known.item === item && known.index === index);
    if (part === undefined) {
      part = { kind, item, index, text: "" };
      this.#parts.push(part);
    }
    this.#current = part;
    return part;
  }

  #add(part: Part, text: string): void {
    if (text === "") return;
    part.text += text;
    if (part.kind === "text" || part.kind === "refusal") {
      this.#isTold.text = true;
      if (part.kind === "text") this.#answer.text(text);
      else this.#answer.refusal(text);
    } else {
      this.#isTold.reasoning = true;
      this.#answer.reasoning(text);
    }
  }

  #fill(part: Part, whole: string): void {
    if (whole.length > part.text.length && whole.startsWith(part.text)) this.#add(part, whole.slice(part.text.length));
  }
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
