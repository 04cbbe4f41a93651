import type { ServerResponse } from "node:http";
import type { GenerationEvent, Sink, Stage } from "fullstop";
import type { EventLog, LogReader } from "../generations/event-log.ts";

/**
 * Writes a generation into a response as it comes. Events go from the log into the socket in the same run in which
 * they are written down; only where the reader is slow do they wait in the log.
 */
export class StreamWriter implements LogReader {
  /** Fulfilled when all was sent or the reader has gone. */
  readonly done: Promise<void>;
  readonly #response: ServerResponse;
  readonly #log: EventLog;
  readonly #encoder: Sink<GenerationEvent>;
  readonly #isChunked: boolean;
  /** What the encoder has made of events that are about to be sent. */
  #frames = "";
  /** How many events were taken from the log; they are dealt with when the reader has room for more. */
  #taken = 0;
  #offset = 0;
  #state: "open" | "waiting for room" | "ended" = "open";
  #resolve: () => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(response: ServerResponse, log: EventLog, encode: Stage<GenerationEvent, string>) {
    this.#response = response;
    this.#log = log;
    this.#encoder = encode({ push: (frame) => void (this.#frames += frame), end: () => undefined });
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    response.on("close", () => this.#end());
    // Node hands a chunk to the socket in four pieces. Framed here it is one, which took a sixth off the processor time
    // of a streamed event.
    response.flushHeaders();
    this.#isChunked = response.chunkedEncoding;
    response.chunkedEncoding = false;
    log.attach(this);
  }

  get offset(): number {
    return this.#offset;
  }

  advance(): void {
    if (this.#state !== "open") return;
    try {
      this.#send();
    } catch (error) {
      this.#reject(error);
      this.#end();
    }
  }

  #send(): void {
    if (this.#response.destroyed) {
      this.#end();
      return;
    }
    const events = this.#log.all();
    while (this.#taken < events.length) this.#encoder.push(events[this.#taken++]!);
    if (this.#log.isClosed) this.#encoder.end();
    const frames = this.#frames;
    this.#frames = "";
    if (frames !== "" && !this.#write(frames)) this.#waitForRoom();
    else this.#settle();
  }

  #write(text: string): boolean {
    const chunk = this.#isChunked ? `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n` : text;
    return this.#response.write(chunk);
  }

  #waitForRoom(): void {
    this.#state = "waiting for room";
    this.#response.once("drain", () => {
      if (this.#state !== "waiting for room") return;
      this.#state = "open";
      this.#settle();
      this.#log.wakeWriter();
      this.advance();
    });
  }

  /** What was taken has been dealt with. */
  #settle(): void {
    this.#offset = this.#taken;
    if (!this.#log.isClosed || this.#taken < this.#log.length) return;
    this.#response.end(this.#isChunked ? "0\r\n\r\n" : "");
    this.#end();
  }

  #end(): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#log.detach(this);
    this.#resolve();
  }
}
