import { ChunkedBody } from "./chunked-body.ts";
import type { TakeBytes } from "./chunked-body.ts";
import { MalformedResponse } from "./malformed-response.ts";
import { readResponseHead } from "./response-head.ts";
import type { ResponseHead } from "./response-head.ts";

/** Told of an answer as it is read. */
export interface ResponseListener {
  head(head: ResponseHead): void;
  /** Some of its body; the bytes are only there during the call. */
  readonly bytes: TakeBytes;
  /** It is whole. The connection can serve another request for so many milliseconds, or with 0 not at all. */
  end(keepMilliseconds: number): void;
}

/** How large a head may be. */
const MOST_OF_HEAD = 65_536;
const EMPTY_LINE = "\r\n\r\n";
/** What others may take for the end of a line; where we did not, we would wait for an end that never comes. */
const LONE_LINE_FEED = /[^\r]\n/u;
/** How many heads may come before that of the answer: a server could send them for ever, and each is to be read. */
const MOST_HEADS_BEFORE = 100;
/** How every head begins. A server that begins otherwise speaks something else, and there may be no end to wait for. */
const BEGINNING = "HTTP/1.";

/** Reads one answer in HTTP/1.1 from the bytes of a connection, however they are cut. */
export class ResponseReader {
  readonly #listener: ResponseListener;
  readonly #chunks: ChunkedBody;
  #state: "head" | "length" | "chunks" | "close" | "over" = "head";
  /** What has come of the head. */
  #head = "";
  #headsBefore = 0;
  /** How many bytes of a body of known length are missing. */
  #missing = 0;
  #keepMilliseconds = 0;

  constructor(listener: ResponseListener) {
    this.#listener = listener;
    this.#chunks = new ChunkedBody(listener.bytes);
  }

  /** Reads the bytes up to `end`. Throws a {@link MalformedResponse}. */
  push(bytes: Buffer, end: number = bytes.length): void {
    let at = 0;
    while (at < end && this.#state !== "over") {
      switch (this.#state) {
        case "head":
          at = this.#readHead(bytes, at, end);
          break;
        case "length":
          at = this.#readLength(bytes, at, end);
          break;
        case "chunks":
          at = this.#chunks.read(bytes, at, end);
          if (this.#chunks.isOver) this.#state = "over";
          break;
        case "close":
          this.#listener.bytes(bytes, at, end);
          return;
      }
      if (this.#state === "over") this.#listener.end(at === end ? this.#keepMilliseconds : 0);
    }
  }

  /** The connection has come to its end. Gives whether the answer is whole. */
  close(): boolean {
    if (this.#state === "close") {
      this.#state = "over";
      this.#listener.end(0);
    }
    return this.#state === "over";
  }

  #readHead(bytes: Buffer, start: number, end: number): number {
    const known = this.#head.length;
    // A character each, so that places in the text are places in the bytes.
    const most = start + MOST_OF_HEAD + EMPTY_LINE.length - known;
    this.#head += bytes.toString("latin1", start, Math.min(end, most));
    if (!this.#head.startsWith(BEGINNING.slice(0, this.#head.length))) {
      throw new MalformedResponse(
        `The server does not speak HTTP/1: it says ${JSON.stringify(this.#head.slice(0, 50))}`,
      );
    }
    const behind = this.#head.indexOf(EMPTY_LINE, Math.max(0, known - EMPTY_LINE.length));
    if ((behind === -1 ? this.#head.length : behind) > MOST_OF_HEAD) {
      throw new MalformedResponse(`The head of the answer is larger than ${MOST_OF_HEAD} bytes`);
    }
    if (behind === -1) {
      if (LONE_LINE_FEED.test(this.#head.slice(Math.max(0, known - 1)))) {
        throw new MalformedResponse("The head of the answer has a line feed where none can be");
      }
      return end;
    }
    const head = readResponseHead(this.#head.slice(0, behind));
    this.#head = "";
    this.#begin(head);
    return start + behind + EMPTY_LINE.length - known;
  }

  #begin(head: ResponseHead): void {
    // What comes before the answer: that the server goes on, or hints for browsers.
    if (head.status < 200) {
      if (head.status === 101) throw new MalformedResponse("The server wants to speak something else (101)");
      this.#headsBefore += 1;
      if (this.#headsBefore > MOST_HEADS_BEFORE) {
        throw new MalformedResponse(
          `The server has said more than ${MOST_HEADS_BEFORE} times that its answer is to come`,
        );
      }
      return;
    }
    const { framing } = head;
    this.#keepMilliseconds = head.keepMilliseconds;
    this.#missing = framing.by === "length" ? framing.length : 0;
    this.#state = framing.by === "length" && framing.length === 0 ? "over" : framing.by;
    this.#listener.head(head);
  }

  #readLength(bytes: Buffer, start: number, end: number): number {
    const stop = Math.min(end, start + this.#missing);
    this.#missing -= stop - start;
    if (this.#missing === 0) this.#state = "over";
    this.#listener.bytes(bytes, start, stop);
    return stop;
  }
}
