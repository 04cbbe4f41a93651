import type { Sink } from "../../stage.ts";
import { decodeSse } from "../../wire/framing/sse.ts";
import type { ServerSentEvent } from "../../wire/framing/sse.ts";
import { isRecord, parseJson } from "../../wire/json.ts";
import type { JsonRecord } from "../../wire/json.ts";

/** As long as a string can be: images come in one event, and whoever reads the answer keeps it in memory as well. */
export const MAX_EVENT_SIZE: number = 2 ** 29;

/** Reads the payloads of events, each as an object that names its type. */
export class PayloadReader {
  #payloads: JsonRecord[] = [];
  readonly #sink: Sink<Uint8Array>;

  constructor() {
    this.#sink = decodeSse({ maxEventSize: MAX_EVENT_SIZE })({
      push: (event) => this.#keep(event),
      end: () => undefined,
    });
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

  #keep({ event, data }: ServerSentEvent): void {
    const value = parseJson(data);
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
