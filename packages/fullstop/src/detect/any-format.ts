import type { GenerationEvent } from "../events.ts";
import type { Sink, Stage } from "../stage.ts";
import { BodyReader } from "../wire/framing/body.ts";
import type { DecodeOptions, WireFormatName } from "../wire/format.ts";
import { ANSWER_FORMATS } from "../wire/formats.ts";
import { recogniseErrorFormat, recogniseFormat } from "./recognise.ts";

/** Options of {@link decodeAnyStream}. */
export interface AnyStreamOptions extends DecodeOptions {
  /** The dialect to assume when nothing tells. Default `openai-chat`. */
  readonly fallback?: WireFormatName | undefined;
  /** Told the dialect as soon as it is known, before the first event. */
  readonly onFormat?: ((format: WireFormatName) => void) | undefined;
}

/** How much is read before giving up on telling the dialect. */
const PATIENCE = 4 * 1024 * 1024;

/** Reads the body of an answer in whatever dialect it turns out to be. */
export function decodeAnyStream(options: AnyStreamOptions = {}): Stage<Uint8Array, GenerationEvent> {
  const { fallback = "openai-chat", onFormat, ...decodeOptions } = options;
  return (next) => {
    const open = (format: WireFormatName): Sink<Uint8Array> => {
      onFormat?.(format);
      return ANSWER_FORMATS[format].decodeStream(decodeOptions)(next);
    };
    return new AnyFormatReader(open, fallback);
  };
}

/** Keeps what has come until the dialect is known, then hands it to that dialect's decoder and everything after it. */
class AnyFormatReader implements Sink<Uint8Array> {
  readonly #open: (format: WireFormatName) => Sink<Uint8Array>;
  readonly #fallback: WireFormatName;
  readonly #recogniser: BodyReader;
  #waiting: Uint8Array[] = [];
  #size = 0;
  #format: WireFormatName | undefined;
  #errorFormat: WireFormatName | undefined;
  #decoder: Sink<Uint8Array> | undefined;

  constructor(open: (format: WireFormatName) => Sink<Uint8Array>, fallback: WireFormatName) {
    this.#open = open;
    this.#fallback = fallback;
    this.#recogniser = new BodyReader(
      {
        value: (value, event) => {
          this.#format ??= recogniseFormat(value, event);
          this.#errorFormat ??= recogniseErrorFormat(value, event);
        },
        sentinel: () => undefined,
        malformed: () => undefined,
        page: () => undefined,
        oversized: () => undefined,
        end: () => undefined,
      },
      PATIENCE,
    );
  }

  push(bytes: Uint8Array): void {
    if (this.#decoder !== undefined) {
      this.#decoder.push(bytes);
      return;
    }
    if (bytes.length === 0) return;
    // A caller may use the memory of a chunk again as soon as it has been pushed.
    this.#waiting.push(bytes.slice());
    this.#size += bytes.length;
    // Only frames of an AWS event stream begin with a zero.
    if (this.#waiting.length === 1 && bytes[0] === 0) this.#format = "bedrock-converse";
    else this.#recogniser.push(bytes);
    if (this.#format !== undefined) this.#start(this.#format);
    else if (this.#size > PATIENCE) this.#start(this.#errorFormat ?? this.#fallback);
  }

  end(): void {
    if (this.#decoder === undefined) {
      this.#recogniser.end();
      this.#start(this.#format ?? this.#errorFormat ?? this.#fallback);
    }
    this.#decoder?.end();
  }

  #start(format: WireFormatName): void {
    const decoder = this.#open(format);
    for (const bytes of this.#waiting) decoder.push(bytes);
    this.#waiting = [];
    this.#decoder = decoder;
  }
}
