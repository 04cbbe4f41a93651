import type { CitationEvent, GenerationEvent, Usage } from "../../events.ts";
import type { Sink, Stage } from "../../stage.ts";
import { sayFinish, toPortableSignal } from "../writing/finish.ts";
import { eventFrame } from "../writing/frames.ts";
import { warnOfError, warnOfSignature } from "../writing/losses.ts";
import type { Warn } from "../writing/options.ts";
import type { AnswerEnding, AnswerHead, AnswerPart, AnswerWriter, GrowingPart, TextPart } from "../writing/parts.ts";
import { defineAnswerEncoder } from "../writing/sink.ts";
import type { EncodeOptions } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { encodeCitation } from "./encode-citations.ts";
import { encodeAnthropicMessagesError } from "./encode-error.ts";
import { encodeProof } from "./encode-response.ts";
import { encodeAnthropicMessagesUsage } from "./encode-usage.ts";
import { encodeStop } from "./ending.ts";
import { toAnthropicStop } from "./finish.ts";

/** The delta of each kind of part: its type, and the field that holds the text. */
const DELTAS: Readonly<Record<GrowingPart["type"], string>> = {
  text: '{"type":"text_delta","text":',
  reasoning: '{"type":"thinking_delta","thinking":',
  "tool-call": '{"type":"input_json_delta","partial_json":',
};

const DELTA_TAIL = "}}\n\n";

/**
 * Writes events as the events of a Messages stream. Only one block can be open there at a time: what comes for
 * another part while a tool call is open waits until that call has its end.
 */
export function encodeAnthropicMessagesStream(options: EncodeOptions = {}): Stage<GenerationEvent, string> {
  return defineAnswerEncoder("anthropic-messages", options, (next, warn) => new AnthropicMessagesWriter(next, warn));
}

class AnthropicMessagesWriter implements AnswerWriter {
  // Clients that count the prompt look there alone, and Anthropic tells its counts right after its own start.
  readonly startsWithUsage = true;
  readonly #next: Sink<string>;
  readonly #warn: Warn;
  /** The part whose block is open. */
  #live: AnswerPart | undefined;
  /** The parts that wait for it, with what has been written of them, from `#nextWaiting` on. */
  #waiting: AnswerPart[] = [];
  #nextWaiting = 0;
  // All that comes before a piece of the live part, so that only the piece itself has to be made into JSON.
  #deltaHead = "";

  constructor(next: Sink<string>, warn: Warn) {
    this.#next = next;
    this.#warn = warn;
  }

  start({ id, model }: AnswerHead, usage: Usage | undefined): void {
    const stop = { stop_reason: null, stop_sequence: null, stop_details: null };
    const counts = { ...encodeAnthropicMessagesUsage(usage), output_tokens: 0 };
    const message = { id, type: "message", role: "assistant", model, content: [], ...stop, usage: counts };
    this.#next.push(eventFrame("message_start", { message }));
  }

  open(part: AnswerPart): void {
    if (this.#live === undefined) this.#openBlock(part);
    else this.#waiting.push(part);
  }

  write(part: GrowingPart, piece: string): void {
    if (part === this.#live) this.#next.push(this.#deltaHead + JSON.stringify(piece) + DELTA_TAIL);
    else part.text += piece;
  }

  cite(part: TextPart, citation: CitationEvent): void {
    if (part === this.#live) this.#writeCitation(part, citation);
  }

  close(part: AnswerPart): void {
    if (part.type === "tool-call") warnOfSignature(this.#warn, part);
    if (part === this.#live) this.#advance((live) => live.isClosed);
  }

  finish({ signal, usage }: AnswerEnding): void {
    const reason = sayFinish(toAnthropicStop(signal), this.#warn);
    if (reason === undefined) {
      // An error breaks off in the middle: a last block that is left open says that it was cut.
      this.#advance((live) => live.isClosed || this.#waiting.length > this.#nextWaiting);
      warnOfError(this.#warn, [], usage);
      this.#next.push(eventFrame("error", encodeAnthropicMessagesError(signal).body));
      return;
    }
    this.#advance(() => true);
    const delta = encodeStop(reason, signal);
    const counts = encodeAnthropicMessagesUsage(usage);
    const fullstop = toPortableSignal(signal);
    this.#next.push(eventFrame("message_delta", { delta, usage: counts, fullstop }));
    this.#next.push(eventFrame("message_stop"));
  }

  /** Closes the live block as long as that is wanted, and opens the next of those that wait. */
  #advance(isDone: (live: AnswerPart) => boolean): void {
    while (this.#live !== undefined && isDone(this.#live)) {
      this.#closeBlock(this.#live);
      this.#live = undefined;
      const waiting = this.#takeWaiting();
      if (waiting !== undefined) this.#openBlock(waiting);
    }
  }

  /** The part that has waited longest. Taking it off the front of a list moves all the others each time. */
  #takeWaiting(): AnswerPart | undefined {
    const waiting = this.#waiting[this.#nextWaiting++];
    if (waiting === undefined) {
      this.#waiting = [];
      this.#nextWaiting = 0;
    }
    return waiting;
  }

  #openBlock(part: AnswerPart): void {
    const { index } = part;
    this.#live = part;
    this.#next.push(eventFrame("content_block_start", { index, content_block: encodeEmptyBlock(part) }));
    if (part.type === "opaque") return;
    this.#deltaHead =
      `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":` + DELTAS[part.type];
    if (part.text !== "") this.write(part, part.text);
    if (part.type === "text") for (const citation of part.citations) this.#writeCitation(part, citation);
  }

  #writeCitation({ index }: TextPart, given: CitationEvent): void {
    for (const citation of encodeCitation(given, this.#warn)) {
      const delta = { type: "citations_delta", citation };
      this.#next.push(eventFrame("content_block_delta", { index, delta }));
    }
  }

  #closeBlock(part: AnswerPart): void {
    const { index } = part;
    if (part.type === "reasoning" && part.signature !== undefined && !part.isRedacted) {
      const delta = { type: "signature_delta", signature: encodeProof(part) };
      this.#next.push(eventFrame("content_block_delta", { index, delta }));
    }
    // Every block begins with an empty object, and this one will be read as if that were all.
    if (part.type === "tool-call" && part.isEmpty) this.#warn("toolCalls", "A tool call that was cut looks empty");
    this.#next.push(eventFrame("content_block_stop", { index }));
  }
}

/** A block as it stands at its start. */
function encodeEmptyBlock(part: AnswerPart): JsonRecord {
  switch (part.type) {
    case "text":
      return { type: "text", text: "" };
    case "tool-call":
      return { ...part.native?.fields, type: "tool_use", id: part.callId, name: part.name, input: {} };
    case "reasoning":
      return part.isRedacted
        ? { type: "redacted_thinking", data: encodeProof(part) }
        : { type: "thinking", thinking: "", signature: "" };
    default:
      return part.value;
  }
}
