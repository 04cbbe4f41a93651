import type { CitationEvent, GenerationEvent } from "../../events.ts";
import type { Sink, Stage } from "../../stage.ts";
import { sayFinish } from "../writing/finish.ts";
import { eventFrame } from "../writing/frames.ts";
import { warnOfSignature } from "../writing/losses.ts";
import type { Warn } from "../writing/options.ts";
import type { AnswerEnding, AnswerHead, AnswerPart, AnswerWriter, GrowingPart, TextPart } from "../writing/parts.ts";
import { defineAnswerEncoder } from "../writing/sink.ts";
import type { EncodeOptions } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { encodeAnnotation } from "./encode-citations.ts";
import {
  encodeEndedResponse,
  encodeItem,
  encodeResponseHead,
  encodeSummary,
  encodeText,
  kindOf,
  toItemId,
  toItemStatus,
} from "./encode-response.ts";
import type { ItemStatus, PartKind } from "./encode-response.ts";
import { toResponseEnding } from "./finish.ts";

/** The delta event of each kind of part. */
const DELTAS: Readonly<Record<PartKind, string>> = {
  text: "response.output_text.delta",
  reasoning: "response.reasoning_summary_text.delta",
  function: "response.function_call_arguments.delta",
  custom: "response.custom_tool_call_input.delta",
};

/**
 * Writes events as the events of a Responses stream: every part is an item of the output, and the last event holds
 * the whole response. Several items can be open at a time.
 */
export function encodeOpenaiResponsesStream(options: EncodeOptions = {}): Stage<GenerationEvent, string> {
  return defineAnswerEncoder("openai-responses", options, (next, warn) => new OpenaiResponsesWriter(next, warn));
}

class OpenaiResponsesWriter implements AnswerWriter {
  readonly #next: Sink<string>;
  readonly #warn: Warn;
  readonly #parts: AnswerPart[] = [];
  /** How many annotations of each text have been written. */
  readonly #annotations = new Map<TextPart, number>();
  #head: AnswerHead = { id: "", model: "", created: 0 };
  #sequenceNumber = 0;
  // All that comes before and after the sequence number and the piece in a delta of the part written last, so that
  // only the piece itself has to be made into JSON.
  #written: GrowingPart | undefined;
  #deltaHead = "";
  #deltaMiddle = "";
  #deltaTail = "";

  constructor(next: Sink<string>, warn: Warn) {
    this.#next = next;
    this.#warn = warn;
  }

  start(head: AnswerHead): void {
    this.#head = head;
    const response = encodeResponseHead(head, "in_progress");
    this.#push("response.created", { response });
    this.#push("response.in_progress", { response });
  }

  open(part: AnswerPart): void {
    this.#parts.push(part);
    const item = encodeItem(this.#head, part, "in_progress", this.#warn);
    this.#push("response.output_item.added", { output_index: part.index, item });
    if (part.type === "text") {
      this.#push("response.content_part.added", { ...this.#placeOf(part), part: encodeText(part, this.#warn) });
    } else if (part.type === "reasoning" && part.signature === undefined) {
      this.#push("response.reasoning_summary_part.added", { ...this.#placeOf(part), part: encodeSummary("") });
    }
  }

  write(part: GrowingPart, piece: string): void {
    part.text += piece;
    if (part !== this.#written) this.#prepareDelta(part);
    const number = this.#sequenceNumber++;
    this.#next.push(this.#deltaHead + number + this.#deltaMiddle + JSON.stringify(piece) + this.#deltaTail);
  }

  cite(part: TextPart, citation: CitationEvent): void {
    // What comes after the item is done stands in the whole response.
    if (part.isClosed) return;
    for (const annotation of encodeAnnotation(part, citation, this.#warn)) {
      const index = this.#annotations.get(part) ?? 0;
      this.#annotations.set(part, index + 1);
      const place = { ...this.#placeOf(part), annotation_index: index };
      this.#push("response.output_text.annotation.added", { ...place, annotation });
    }
  }

  close(part: AnswerPart): void {
    if (part.type === "tool-call") {
      warnOfSignature(this.#warn, part);
      const place = this.#placeOf(part);
      const { text, name } = part;
      if (part.isText) this.#push("response.custom_tool_call_input.done", { ...place, input: text });
      else this.#push("response.function_call_arguments.done", { ...place, arguments: text, name });
    }
    this.#closeItem(part, "completed");
  }

  finish({ head, signal, usage, isStarted }: AnswerEnding): void {
    // Official clients refuse a stream that does not begin with the creation of a response, errors included.
    if (!isStarted) this.start(head);
    const ending = sayFinish(toResponseEnding(signal), this.#warn);
    for (const part of this.#parts) if (!part.isClosed) this.#closeItem(part, toItemStatus(part, ending));
    const answer = { head, parts: this.#parts, usage, signal, isStarted };
    this.#push(ending.event, { response: encodeEndedResponse(answer, ending, this.#warn) });
  }

  #closeItem(part: AnswerPart, status: ItemStatus): void {
    const { index, text } = part;
    if (part.type === "text") {
      const place = this.#placeOf(part);
      this.#push("response.output_text.done", { ...place, text, logprobs: [] });
      this.#push("response.content_part.done", { ...place, part: encodeText(part, this.#warn) });
    } else if (part.type === "reasoning" && text !== "") {
      const place = this.#placeOf(part);
      this.#push("response.reasoning_summary_text.done", { ...place, text });
      this.#push("response.reasoning_summary_part.done", { ...place, part: encodeSummary(text) });
    }
    this.#push("response.output_item.done", {
      output_index: index,
      item: encodeItem(this.#head, part, status, this.#warn),
    });
  }

  #prepareDelta(part: GrowingPart): void {
    const type = DELTAS[kindOf(part)];
    const place = JSON.stringify(this.#placeOf(part)).slice(1, -1);
    this.#written = part;
    this.#deltaHead = `event: ${type}\ndata: {"type":"${type}","sequence_number":`;
    this.#deltaMiddle = `,${place},"delta":`;
    this.#deltaTail = part.type === "text" ? ',"logprobs":[]}\n\n' : "}\n\n";
  }

  /** Where in the response an event about a part belongs. */
  #placeOf(part: GrowingPart): JsonRecord {
    const place = { item_id: toItemId(this.#head, part), output_index: part.index };
    if (part.type === "text") return { ...place, content_index: 0 };
    return part.type === "reasoning" ? { ...place, summary_index: 0 } : place;
  }

  #push(type: string, fields: JsonRecord): void {
    this.#next.push(eventFrame(type, { sequence_number: this.#sequenceNumber++, ...fields }));
  }
}
