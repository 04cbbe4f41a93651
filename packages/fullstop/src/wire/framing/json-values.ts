import type { Sink, Stage } from "../../stage.ts";
import { checkCount } from "../../check.ts";
import { parseJson } from "../json.ts";
import { readText } from "./read-text.ts";
import { MAX_EVENT_SIZE } from "./sse.ts";

/** What comes out of a text of JSON values. */
export interface JsonTextListener {
  /** The text of one whole object: a line, a document, or an element of a list that holds all of them. */
  value(json: string): void;
  /** A value grew beyond the limit. Nothing is read any more. */
  oversized(): void;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/**
 * Cuts a text into the JSON objects it consists of: one a line, one document over many lines, several in a row, or the
 * elements of a list around all of them. Whatever stands between them is passed over. It looks at brackets and
 * quotes only; whether an object is well-formed is for the parser to say.
 */
export class JsonTextReader implements Sink<string> {
  readonly #listener: JsonTextListener;
  readonly #maxSize: number;
  #state: "between" | "value" | "string" | "escape" | "closed" = "between";
  /** How many brackets are open inside the value. */
  #depth = 0;
  #value = "";

  constructor(listener: JsonTextListener, maxSize: number = MAX_EVENT_SIZE) {
    this.#listener = listener;
    this.#maxSize = maxSize;
  }

  /** Whether a value has begun whose end has not come. */
  get isInside(): boolean {
    return this.#state !== "between" && this.#state !== "closed";
  }

  push(text: string): void {
    let start = 0;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      switch (this.#state) {
        case "between":
          // A list around the values needs no note of its own: its brackets and commas stand between them.
          if (code === OPEN_OBJECT) {
            this.#state = "value";
            this.#depth = 1;
            start = index;
          }
          break;
        case "value":
          if (code === QUOTE) this.#state = "string";
          else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#depth += 1;
          else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
            this.#depth -= 1;
            if (this.#depth === 0) {
              const value = this.#value + text.slice(start, index + 1);
              this.#value = "";
              this.#state = "between";
              if (this.#isOversized(value)) return;
              this.#listener.value(value);
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
    this.#value += text.slice(start);
    this.#isOversized(this.#value);
  }

  end(): void {
    this.#state = "closed";
    this.#value = "";
  }

  #isOversized(value: string): boolean {
    if (value.length <= this.#maxSize) return false;
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
        value(json) {
          const parsed = parseJson(json);
          if (parsed !== undefined) next.push(parsed);
        },
        oversized: () => undefined,
      },
      maxEventSize,
    );
    return readText(reader, next);
  };
}
