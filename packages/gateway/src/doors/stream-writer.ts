import type { ServerResponse } from "node:http";
import type { GenerationEvent, Sink, Stage } from "fullstop";
import type { EventLog, LogReader } from "../generations/event-log.ts";
import type { Framing } from "./framing.ts";
import { roomIn } from "./send-text.ts";
import { sendSignsOfLife } from "./signs-of-life.ts";

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
  readonly #framing: Framing;
  readonly #isChunked: boolean;
  /** What the encoder has made of events that are about to be sent. */
  #frames = "";
  /** How many events were taken from the log; they are dealt with when the reader has room for more. */
  #taken = 0;
  #offset = 0;
  #state: "open" | "waiting for room" | "ended" = "open";
  #resolve: () => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(response: ServerResponse, log: EventLog, encode: Stage<GenerationEvent, string>, framing: Framing) {
    this.#response = response;
    this.#log = log;
    this.#framing = framing;
    this.#encoder = encode({ push: (frame) => void (this.#frames += framing.frame(frame)), end: () => undefined });
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
    const { signOfLife } = framing;
    if (signOfLife !== undefined) sendSignsOfLife(response, () => void this.#write(signOfLife));
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
    for (let event = this.#log.at(this.#taken); event !== undefined; event = this.#log.at(this.#taken)) {
      this.#encoder.push(event);
      this.#taken += 1;
    }
    if (this.#log.isClosed) this.#encoder.end();
    const frames = this.#log.isClosed ? this.#frames + this.#framing.end() : this.#frames;
    this.#frames = "";
    if (frames !== "" && !this.#write(frames)) void this.#waitForRoom();
    else this.#settle();
  }

  #write(text: string): boolean {
    const chunk = this.#isChunked ? `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n` : text;
    // Node would keep it until the next tick, to send it with what might follow; the socket sends it now. Where an answer
    // before it is still under way over the same connection, it has no socket yet.
    const { socket } = this.#response;
    return socket?.writable === true ? socket.write(chunk) : this.#response.write(chunk);
  }

  async #waitForRoom(): Promise<void> {
    this.#state = "waiting for room";
    await roomIn(this.#response);
    if (this.#isOver()) return;
    this.#state = "open";
    this.#settle();
    this.advance();
  }

  // Asked in a method, because the state changes while it waits, which the compiler does not see.
  #isOver(): boolean {
    return this.#state === "ended";
  }

  /** What was taken has been dealt with. */
  #settle(): void {
    this.#offset = this.#taken;
    // Also where there was nothing to write of it: whoever waits for this reader would wait for good.
    this.#log.wakeWriter();
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
