import type { Sink } from "../../stage.ts";
import { JsonTextReader } from "../../wire/framing/json-values.ts";
import { readText } from "../../wire/framing/read-text.ts";
import { SseReader } from "../../wire/framing/sse.ts";
import { isRecord, parseJson } from "../../wire/json.ts";
import type { JsonRecord } from "../../wire/json.ts";

/** As long as a string can be: images come in one event, and whoever reads the answer keeps it in memory as well. */
export const MAX_EVENT_SIZE: number = 2 ** 29;

const nothing = (): void => undefined;

/**
 * Reads the payloads of events, each as an object that names its type. Objects between events, which no client reads, are
 * among them, because a decoder reads them and whoever cuts an answer has to know of all that was read.
 */
export class PayloadReader {
  #payloads: JsonRecord[] = [];
  readonly #sink: Sink<Uint8Array>;

  constructor() {
    const json = new JsonTextReader(
      { value: (value) => this.#keep("", value), malformed: nothing, oversized: nothing },
      MAX_EVENT_SIZE,
    );
    const events = new SseReader(
      {
        event: (event, data) => this.#keep(event, parseJson(data)),
        stray: (line) => json.pushStray(line),
        oversized: nothing,
      },
      MAX_EVENT_SIZE,
    );
    this.#sink = readText(withoutFirstBlanks(events), { end: nothing });
  }

  read(frame: Uint8Array): readonly JsonRecord[] {
    this.#sink.push(frame);
    return this.#take();
  }

  /** Reads an event that may lack the blank line behind it. Nothing is read after it. */
  readLast(frame: Uint8Array): readonly JsonRecord[] {
    this.#sink.push(frame);
    this.#sink.end();
    return this.#take();
  }

  #keep(event: string, value: unknown): void {
    // Some servers name the type of an event only outside of it.
    if (!isRecord(value)) return;
    const hasType = value["type"] !== undefined && value["type"] !== null;
    this.#payloads.push(event === "" || hasType ? value : { ...value, type: event });
  }

  #take(): readonly JsonRecord[] {
    const payloads = this.#payloads;
    this.#payloads = [];
    return payloads;
  }
}

/** Leaves out the blanks before an answer, as decoders do: an event that is indented by them would not be one. */
function withoutFirstBlanks(next: Sink<string>): Sink<string> {
  let hasBegun = false;
  return {
    push(text) {
      const rest = hasBegun ? text : text.trimStart();
      hasBegun ||= rest !== "";
      next.push(rest);
    },
    end: () => next.end(),
  };
}
