import type { GenerationEvent } from "../events.ts";
import type { Sink, Stage } from "../stage.ts";
import type { DecodeOptions, WireFormatName } from "../wire/format.ts";
import { ANSWER_FORMATS } from "../wire/formats.ts";
import { isRecord } from "../wire/json.ts";
import { SENTINEL } from "../wire/reading/decode.ts";
import { hasError } from "../wire/reading/failure.ts";
import { guessFormat, recogniseFormat } from "./recognise.ts";

/** How many payloads may come that do not tell their dialect. A stream of more is read in the one that is assumed. */
const MOST_WAITING = 1_000;

interface AnyPayloadsOptions extends DecodeOptions {
  /** The dialects to tell apart; the first is assumed where nothing tells. Default: all of them. */
  readonly formats?: readonly WireFormatName[] | undefined;
}

/** Reads the payloads of a stream that were parsed already, in whatever dialect it turns out to be. */
export function decodeAnyPayloads(options: AnyPayloadsOptions = {}): Stage<unknown, GenerationEvent> {
  const { formats, ...decodeOptions } = options;
  return (next) => {
    const open = (format: WireFormatName): Sink<unknown> => ANSWER_FORMATS[format].decodePayloads(decodeOptions)(next);
    return new AnyPayloadReader(open, formats);
  };
}

/** The dialect among those that are possible, given the one that an answer looks like. */
export function allowedFormat(
  recognised: WireFormatName | undefined,
  formats: readonly WireFormatName[] | undefined,
): WireFormatName {
  const [first = "openai-chat"] = formats ?? [];
  if (recognised === undefined) return first;
  return formats === undefined || formats.includes(recognised) ? recognised : first;
}

/** Keeps what has come until the dialect is known, then hands it to that dialect's decoder and everything after it. */
class AnyPayloadReader implements Sink<unknown> {
  readonly #open: (format: WireFormatName) => Sink<unknown>;
  readonly #formats: readonly WireFormatName[] | undefined;
  #waiting: unknown[] = [];
  #guess: WireFormatName | undefined;
  #decoder: Sink<unknown> | undefined;

  constructor(open: (format: WireFormatName) => Sink<unknown>, formats: readonly WireFormatName[] | undefined) {
    this.#open = open;
    this.#formats = formats;
    if (formats?.length === 1) this.#start(undefined);
  }

  push(value: unknown): void {
    if (this.#decoder !== undefined) {
      this.#decoder.push(value);
      return;
    }
    this.#waiting.push(value);
    const recognised = recogniseFormat(value);
    this.#guess ??= guessFormat(value);
    if (recognised !== undefined) this.#start(recognised);
    // Nothing follows an error or the last word that could tell more.
    else if (value === SENTINEL || (isRecord(value) && hasError(value))) this.#start(this.#guess);
    else if (this.#waiting.length >= MOST_WAITING) this.#start(this.#guess);
  }

  end(): void {
    if (this.#decoder === undefined) this.#start(this.#guess);
    this.#decoder?.end();
  }

  #start(format: WireFormatName | undefined): void {
    this.#decoder = this.#open(allowedFormat(format, this.#formats));
    for (const value of this.#waiting) this.#decoder.push(value);
    this.#waiting = [];
  }
}
