import { checkBytes, checkFunction, checkNames } from "../check.ts";
import type { GenerationEvent } from "../events.ts";
import type { Sink, Stage } from "../stage.ts";
import { BodyReader } from "../wire/framing/body.ts";
import { MAX_EVENT_SIZE } from "../wire/framing/sse.ts";
import type { DecodeOptions, WireFormatName } from "../wire/format.ts";
import { ANSWER_FORMATS } from "../wire/formats.ts";
import { DECODE_OPTION_NAMES, checkDecodeOptions } from "../wire/reading/decode.ts";
import { checkFormat } from "./check-formats.ts";
import { guessFormat, recogniseFormat } from "./recognise.ts";

/** Options of {@link decodeAnyStream}. */
export interface AnyStreamOptions extends DecodeOptions {
  /** The dialect to assume when nothing tells. Default `openai-chat`. */
  readonly fallback?: WireFormatName | undefined;
  /** Told the dialect as soon as it is known, before the first event. */
  readonly onFormat?: ((format: WireFormatName) => void) | undefined;
}

/** Reads the body of an answer in whatever dialect it turns out to be. */
export function decodeAnyStream(options: AnyStreamOptions = {}): Stage<Uint8Array, GenerationEvent> {
  checkNames("decode options", options, { ...DECODE_OPTION_NAMES, fallback: true, onFormat: true });
  const { fallback = "openai-chat", onFormat, ...decodeOptions } = options;
  checkFormat("fallback", fallback);
  checkFunction("onFormat", onFormat);
  checkDecodeOptions(decodeOptions);
  return (next) => {
    const open = (format: WireFormatName): Sink<Uint8Array> => {
      onFormat?.(format);
      return ANSWER_FORMATS[format].decodeStream(decodeOptions)(next);
    };
    return new AnyFormatReader(open, fallback, decodeOptions.maxEventSize);
  };
}

/** How many bytes may come at the least before a dialect is assumed, however small events have to be. */
const LEAST_ROOM = 1_048_576;

/** Keeps what has come until the dialect is known, then hands it to that dialect's decoder and everything after it. */
class AnyFormatReader implements Sink<Uint8Array> {
  readonly #open: (format: WireFormatName) => Sink<Uint8Array>;
  readonly #fallback: WireFormatName;
  readonly #recogniser: BodyReader;
  /** How many bytes may come that do not tell their dialect: more than one event of the largest size can have. */
  readonly #mostWaiting: number;
  /** What has come and waits for a decoder. The room grows by doubling, so that single bytes do not cost a copy each. */
  #waiting = new Uint8Array(1024);
  #length = 0;
  #format: WireFormatName | undefined;
  #guess: WireFormatName | undefined;
  #isHopeless = false;
  #decoder: Sink<Uint8Array> | undefined;

  constructor(
    open: (format: WireFormatName) => Sink<Uint8Array>,
    fallback: WireFormatName,
    maxEventSize: number = MAX_EVENT_SIZE,
  ) {
    this.#open = open;
    this.#mostWaiting = Math.max(4 * maxEventSize, LEAST_ROOM);
    this.#fallback = fallback;
    this.#recogniser = new BodyReader(
      {
        value: (value, event) => {
          this.#format ??= recogniseFormat(value, event);
          this.#guess ??= guessFormat(value, event);
        },
        sentinel: () => undefined,
        malformed: () => undefined,
        page: () => undefined,
        text: () => undefined,
        // A decoder will say so in its own words.
        oversized: () => (this.#isHopeless = true),
        end: () => undefined,
      },
      maxEventSize,
    );
  }

  push(bytes: Uint8Array): void {
    if (this.#decoder !== undefined) {
      this.#decoder.push(bytes);
      return;
    }
    checkBytes("chunk", bytes);
    if (bytes.length === 0) return;
    const isFirst = this.#length === 0;
    const room = this.#mostWaiting - this.#length;
    this.#keep(bytes);
    // Only frames of an AWS event stream begin with a zero.
    if (isFirst && bytes[0] === 0) this.#format = "bedrock-converse";
    else this.#recogniser.push(bytes.length > room ? bytes.subarray(0, room) : bytes);
    if (this.#format !== undefined) this.#start(this.#format);
    else if (this.#isHopeless || bytes.length >= room) this.#start(this.#guess ?? this.#fallback);
  }

  end(): void {
    if (this.#decoder === undefined) {
      this.#recogniser.end();
      this.#start(this.#format ?? this.#guess ?? this.#fallback);
    }
    this.#decoder?.end();
  }

  /** A caller may use the memory of a chunk again as soon as it has been pushed, so it is copied. */
  #keep(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#waiting.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#waiting.length));
      larger.set(this.#waiting.subarray(0, this.#length));
      this.#waiting = larger;
    }
    this.#waiting.set(bytes, this.#length);
    this.#length = needed;
  }

  #start(format: WireFormatName): void {
    this.#decoder = this.#open(format);
    this.#decoder.push(this.#waiting.subarray(0, this.#length));
    this.#waiting = new Uint8Array(0);
  }
}
