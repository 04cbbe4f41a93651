import type { Sink, Stage } from "../../stage.ts";
import { checkCount } from "../../check.ts";
import { parseJson } from "../json.ts";
import { PiecedText } from "./pieces.ts";
import { readText } from "./read-text.ts";
import { MAX_EVENT_SIZE } from "./sse.ts";

/** What comes out of a text of JSON values. */
export interface JsonTextListener {
  /** One whole object: a line, a document, or an element of a list that holds all of them. */
  value(value: unknown): void;
  /** What looked like an object and is none. */
  malformed(text: string): void;
  /** A value grew beyond the limit. Nothing is read any more. */
  oversized(): void;
}

const CARRIAGE_RETURN = 13;
const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/**
 * Cuts a text into the JSON objects it consists of: one a line, one document over many lines, several in a row, or the
 * elements of a list around all of them. Whatever stands between them is passed over. It looks for
 * brackets and quotes only; whether an object is well-formed is for the parser to say.
 */
export class JsonTextReader implements Sink<string> {
  readonly #listener: JsonTextListener;
  readonly #maxSize: number;
  #state: "between" | "value" | "string" | "escape" | "closed" = "between";
  /** How many brackets are open inside the value. */
  #depth = 0;
  readonly #value = new PiecedText();
  /** Whether a list around the values has begun and not ended. */
  #isListOpen = false;

  constructor(listener: JsonTextListener, maxSize: number = MAX_EVENT_SIZE) {
    this.#listener = listener;
    this.#maxSize = maxSize;
  }

  /** Whether a value has begun whose end has not come. */
  get isInside(): boolean {
    return this.#state !== "between" && this.#state !== "closed";
  }

  /** Whether a value, or the list around the values, has begun whose end has not come. */
  get isOpen(): boolean {
    return this.isInside || this.#isListOpen;
  }

  push(text: string): void {
    let start = 0;
    /** The end of the last line that was tried, before which no other is. */
    let tried = 0;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      switch (this.#state) {
        case "between":
          if (code === OPEN_OBJECT) {
            // Once a line: a thousand objects on one would have it searched, and read in vain, a thousand times.
            if (index >= tried) {
              const lineFeed = text.indexOf("\n", index);
              tried = lineFeed === -1 ? text.length : lineFeed;
              const end = this.#readLine(text, index, lineFeed);
              if (end !== undefined) {
                index = end;
                break;
              }
            }
            this.#state = "value";
            this.#depth = 1;
            start = index;
          } else if (code === OPEN_LIST) this.#isListOpen = true;
          else if (code === CLOSE_LIST) this.#isListOpen = false;
          break;
        case "value":
          if (code === QUOTE) this.#state = "string";
          else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#depth += 1;
          else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
            this.#depth -= 1;
            if (this.#depth === 0) {
              this.#value.add(text.slice(start, index + 1));
              if (this.#isOversized()) return;
              this.#state = "between";
              this.#emit(this.#value.take());
            }
          }
          break;
        case "string":
          if (code === QUOTE) this.#state = "value";
          else if (code === BACKSLASH) this.#state = "escape";
          break;
        case "escape":
          this.#state = "string";
          break;
        case "closed":
          return;
      }
    }
    if (!this.isInside) return;
    this.#value.add(text.slice(start));
    this.#isOversized();
  }

  /** Reads a line that stands where no JSON is expected: it counts if a value begins in it, or goes on. */
  pushStray(line: string): void {
    if (this.isInside || /^\s*[[{]/u.test(line)) this.push(`${line}\n`);
  }

  end(): void {
    this.#state = "closed";
    this.#value.take();
  }

  /**
   * Reads a value that is a line of its own, which is what most are. To try that costs a tenth of looking at every
   * character. Returns where the value ends, or nothing if it is no such line.
   */
  #readLine(text: string, start: number, lineFeed: number): number | undefined {
    if (lineFeed === -1) return undefined;
    const end = text.charCodeAt(lineFeed - 1) === CARRIAGE_RETURN ? lineFeed - 2 : lineFeed - 1;
    if (text.charCodeAt(end) !== CLOSE_OBJECT || end + 1 - start > this.#maxSize) return undefined;
    const value = parseJson(text.slice(start, end + 1));
    if (value === undefined) return undefined;
    this.#listener.value(value);
    return end;
  }

  #emit(json: string): void {
    const value = parseJson(json);
    if (value === undefined) this.#listener.malformed(json);
    else this.#listener.value(value);
  }

  #isOversized(): boolean {
    if (this.#value.length <= this.#maxSize) return false;
    this.end();
    this.#listener.oversized();
    return true;
  }
}

/** Options of {@link decodeNdjson}. */
export interface NdjsonOptions {
  /** The most characters of one line. A longer one ends the stream of values. Default 16 Mi. */
  readonly maxEventSize?: number | undefined;
}

/**
 * Reads JSON objects from bytes, one a line or laid out in any other way, also as the elements of one list. A last
 * line without its line feed counts; an object that never ends does not. What is not JSON is passed over.
 */
export function decodeNdjson(options: NdjsonOptions = {}): Stage<Uint8Array, unknown> {
  const { maxEventSize = MAX_EVENT_SIZE } = options;
  checkCount("maxEventSize", maxEventSize, 1);
  return (next) => {
    const reader = new JsonTextReader(
      {
        value: (value) => next.push(value),
        malformed: () => undefined,
        oversized: () => undefined,
      },
      maxEventSize,
    );
    return readText(reader, next);
  };
}
