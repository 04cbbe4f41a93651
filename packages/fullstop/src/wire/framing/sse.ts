import { checkCount } from "../../check.ts";
import type { Sink, Stage } from "../../stage.ts";
import { PiecedText } from "./pieces.ts";
import { readText } from "./read-text.ts";

/** The most characters one event, line or document may have, unless the caller says otherwise. */
export const MAX_EVENT_SIZE: number = 16 * 1024 * 1024;

/** One server-sent event. */
export interface ServerSentEvent {
  /** The value of its `event` field, empty when it has none. */
  readonly event: string;
  /** Its `data` lines, joined by line feeds. */
  readonly data: string;
  readonly id?: string | undefined;
}

/** What comes out of the lines of an event stream. */
export interface SseListener {
  /** An event; `isComplete` is false when the input ended before the blank line that closes it. */
  event(event: string, data: string, id: string | undefined, isComplete: boolean): void;
  /** A line that is no field of an event stream. */
  stray(line: string): void;
  /** An event or a line grew beyond the limit. Nothing is read any more. */
  oversized(): void;
}

const LINE_FEED = 10;
const SPACE = 32;
const COLON = 58;

/**
 * Takes an event stream apart, however it is cut: line feeds, carriage returns or both, with a pair split over two
 * pieces; several data lines; comments; no space after the colon; no blank line at the end.
 */
export class SseReader implements Sink<string> {
  readonly #listener: SseListener;
  readonly #maxSize: number;
  #state: "open" | "after carriage return" | "closed" = "open";
  /** The beginning of a line whose end has not come. Only new text is searched, so long lines cost no more. */
  readonly #line = new PiecedText();
  #event = "";
  #data: string | undefined;
  /** The data lines after the first, in pieces: sixteen million empty ones would otherwise take half a gigabyte. */
  readonly #moreData = new PiecedText();
  #id: string | undefined;

  constructor(listener: SseListener, maxSize: number = MAX_EVENT_SIZE) {
    this.#listener = listener;
    this.#maxSize = maxSize;
  }

  /** Whether a line or an event has begun whose end has not come. */
  get isInside(): boolean {
    return this.#line.length > 0 || this.#data !== undefined || this.#event !== "";
  }

  push(text: string): void {
    if (this.#state === "closed" || text === "") return;
    let start = 0;
    if (this.#state === "after carriage return") {
      // The line feed of a pair that was split over two pieces. The line itself was read when its half came.
      if (text.charCodeAt(0) === LINE_FEED) start = 1;
      this.#state = "open";
    }
    let carriageReturn = text.indexOf("\r", start);
    let lineFeed = text.indexOf("\n", start);
    while (carriageReturn !== -1 || lineFeed !== -1) {
      const isLineFeed = carriageReturn === -1 || (lineFeed !== -1 && lineFeed < carriageReturn);
      const end = isLineFeed ? lineFeed : carriageReturn;
      let next = end + 1;
      if (!isLineFeed) {
        if (next === text.length) this.#state = "after carriage return";
        else if (text.charCodeAt(next) === LINE_FEED) next += 1;
        carriageReturn = text.indexOf("\r", next);
      }
      if (lineFeed < next) lineFeed = text.indexOf("\n", next);
      this.#readLine(text, start, end);
      if (this.#isClosed()) return;
      start = next;
    }
    if (start < text.length) {
      this.#line.add(start === 0 ? text : text.slice(start));
      this.#checkSize(this.#line.length);
    }
  }

  end(): void {
    if (this.#state === "closed") return;
    if (this.#line.length > 0) this.#readLine("", 0, 0);
    if (!this.#isClosed()) this.#dispatch(false);
    this.#state = "closed";
  }

  /** A listener may end the reading from within a call, which the compiler cannot see. */
  #isClosed(): boolean {
    return this.#state === "closed";
  }

  #readLine(text: string, start: number, end: number): void {
    this.#checkSize(this.#line.length + end - start);
    if (this.#isClosed()) return;
    if (this.#line.length > 0) {
      this.#line.add(text.slice(start, end));
      const line = this.#line.take();
      this.#readField(line, 0, line.length);
    } else if (start === end) this.#dispatch(true);
    else this.#readField(text, start, end);
  }

  #readField(text: string, start: number, end: number): void {
    if (text.startsWith("data", start)) {
      const value = valueOf(text, start + 4, end);
      if (value !== undefined) {
        if (this.#data === undefined) this.#data = value;
        else this.#moreData.add(`\n${value}`);
        this.#checkSize(this.#data.length + this.#moreData.length);
        return;
      }
    }
    if (text.charCodeAt(start) === COLON) return;
    if (text.startsWith("event", start)) {
      const value = valueOf(text, start + 5, end);
      if (value !== undefined) {
        this.#event = value;
        return;
      }
    }
    if (text.startsWith("id", start)) {
      const value = valueOf(text, start + 2, end);
      if (value !== undefined) {
        // As the standard has it: an id with a NUL in it is no id.
        if (!value.includes("\0")) this.#id = value;
        return;
      }
    }
    const isRetry = text.startsWith("retry", start) && valueOf(text, start + 5, end) !== undefined;
    if (!isRetry) this.#listener.stray(text.slice(start, end));
  }

  #dispatch(isComplete: boolean): void {
    const data = this.#data === undefined ? undefined : this.#data + this.#moreData.take();
    const event = this.#event;
    const id = this.#id;
    this.#data = undefined;
    this.#event = "";
    this.#id = undefined;
    if (data !== undefined) this.#listener.event(event, data, id, isComplete);
  }

  #checkSize(size: number): void {
    if (size <= this.#maxSize) return;
    this.#state = "closed";
    this.#line.take();
    this.#data = undefined;
    this.#moreData.take();
    this.#listener.oversized();
  }
}

/** The value of a field whose name ends at `from`; undefined if the name goes on, so that it is another field. */
function valueOf(text: string, from: number, end: number): string | undefined {
  if (from === end) return "";
  if (from > end || text.charCodeAt(from) !== COLON) return undefined;
  // One space after the colon belongs to the colon.
  const start = from + 1 < end && text.charCodeAt(from + 1) === SPACE ? from + 2 : from + 1;
  return text.slice(start, end);
}

/** Options of {@link decodeSse}. */
export interface SseOptions {
  /** The most characters of one event. A longer one ends the stream of events. Default 16 Mi. */
  readonly maxEventSize?: number | undefined;
}

/** Reads server-sent events from bytes. An event that the input leaves without its blank line counts as one. */
export function decodeSse(options: SseOptions = {}): Stage<Uint8Array, ServerSentEvent> {
  const { maxEventSize = MAX_EVENT_SIZE } = options;
  checkCount("maxEventSize", maxEventSize, 1);
  return (next) => {
    const reader = new SseReader(
      {
        event: (event, data, id) => next.push({ event, data, ...(id !== undefined && { id }) }),
        stray: () => undefined,
        oversized: () => undefined,
      },
      maxEventSize,
    );
    return readText(reader, next);
  };
}
