import type { Sink } from "../../stage.ts";
import { parseJson } from "../json.ts";
import { JsonTextReader } from "./json-values.ts";
import { SseReader } from "./sse.ts";
import { TextDecoding } from "./text-decoding.ts";

/** What the body of an answer turns out to consist of, whatever the server was asked for. */
export interface BodyListener {
  /** A JSON value; `event` is the name of the event it came in, `isDocument` tells that it came in none and in no list. */
  value(value: unknown, event: string, isDocument: boolean): void;
  /** The word `[DONE]`, which some servers end a stream with. */
  sentinel(): void;
  /** Text where JSON was expected. */
  malformed(text: string, event: string): void;
  /** The body is a page for people, not an answer of an API. */
  page(text: string): void;
  /** Nothing could be read in all of the body, which begins with this text. */
  text(text: string): void;
  /** The body holds something larger than the limit. */
  oversized(): void;
  /** The body ended; `isCut` tells that it did so inside a value. */
  end(isCut: boolean): void;
}

/** How much is kept of a body that is no answer, for whoever has to find out what it is. */
const EXCERPT = 2_000;
const OPEN_LIST = 91;

/**
 * Reads the body of an answer and finds out by itself how it is framed: an event stream, JSON values one a line, one
 * JSON document, a list of them, a page of HTML; also JSON that starts in the middle of an event stream, as some
 * servers report errors.
 */
export class BodyReader implements Sink<Uint8Array> {
  readonly #decoding = new TextDecoding();
  readonly #listener: BodyListener;
  readonly #events: SseReader;
  readonly #json: JsonTextReader;
  #framing: "unknown" | "events" | "json" | "page" | "over" = "unknown";
  /** How the body begins; undefined as soon as something could be read. */
  #excerpt: string | undefined = "";
  #isList = false;
  #isCut = false;

  constructor(listener: BodyListener, maxEventSize: number | undefined) {
    this.#listener = listener;
    const oversized = (): void => listener.oversized();
    this.#json = new JsonTextReader(
      {
        value: (value) => {
          this.#excerpt = undefined;
          this.#listener.value(value, "", !this.#isList);
        },
        malformed: (text) => this.#listener.malformed(text, ""),
        oversized,
      },
      maxEventSize,
    );
    this.#events = new SseReader(
      {
        event: (event, data, _id, isComplete) => this.#readEvent(event, data, isComplete),
        stray: (line) => this.#json.pushStray(line),
        oversized,
      },
      maxEventSize,
    );
  }

  push(bytes: Uint8Array): void {
    this.#read(this.#decoding.push(bytes));
  }

  end(): void {
    this.#read(this.#decoding.end());
    // What is left is a cut, unless it turns out to be an event that lacks nothing but its blank line.
    this.#isCut = this.#events.isInside;
    this.#events.end();
    const isCut = this.#isCut || this.#json.isOpen;
    this.#json.end();
    if (this.#framing === "page") this.#endPage();
    else if (this.#framing !== "over" && this.#excerpt !== undefined) this.#listener.text(this.#excerpt);
    this.#listener.end(isCut);
  }

  #read(text: string): void {
    if (this.#excerpt !== undefined && this.#framing !== "unknown") {
      this.#excerpt += text.slice(0, EXCERPT - this.#excerpt.length);
    }
    switch (this.#framing) {
      case "events":
        this.#events.push(text);
        break;
      case "json":
        this.#json.push(text);
        break;
      case "page":
        // What follows does not matter, and need not have an end.
        if (this.#excerpt?.length === EXCERPT) this.#endPage();
        break;
      case "over":
        break;
      case "unknown": {
        // Some servers send blank lines to keep the connection alive until the answer is there.
        const start = text.search(/\S/u);
        if (start === -1) return;
        this.#framing = framingOf(text.charAt(start));
        this.#isList = text.charCodeAt(start) === OPEN_LIST;
        this.#read(text.slice(start));
        break;
      }
    }
  }

  #endPage(): void {
    this.#framing = "over";
    this.#listener.page(this.#excerpt ?? "");
  }

  #readEvent(event: string, data: string, isComplete: boolean): void {
    if (data.charCodeAt(0) === OPEN_LIST && data.trimEnd() === "[DONE]") {
      this.#isCut = false;
      this.#excerpt = undefined;
      this.#listener.sentinel();
      return;
    }
    // An event may come in several data lines, and half of one at the end of the input is a cut, not an error.
    const value = parseJson(data);
    if (value !== undefined) {
      this.#isCut = false;
      this.#excerpt = undefined;
      this.#listener.value(value, event, false);
    } else if (isComplete) this.#listener.malformed(data, event);
  }
}

function framingOf(character: string): "events" | "json" | "page" {
  if (character === "{" || character === "[") return "json";
  return character === "<" ? "page" : "events";
}
