import { AsyncResource } from "node:async_hooks";
import type { Take } from "fullstop";
import type { DeliveredBytes, FetchAnswer } from "fullstop/engines";
import type { Connection, Receiver } from "./connection.ts";
import type { Connections } from "./connections.ts";
import type { ResponseHead } from "./response-head.ts";
import type { TurnTaker, Turns } from "./turns.ts";

type Read = IteratorResult<Uint8Array, undefined>;

/** Somebody who takes the bytes as they come, all of them or the next. */
interface Reader {
  readonly take: Take<Uint8Array>;
  readonly end: () => void;
  readonly fail: (error: unknown) => void;
}

/** How many bytes may lie here unread before the provider has to wait. */
const MOST_UNREAD = 65_536;
/**
 * What a piece counts for beside its bytes, about as many as it takes to keep it. A server that sends one byte in each
 * chunk would otherwise have us keep 65,536 of them, which are 10 MB.
 */
const BYTES_OF_PIECE = 128;

const DONE: Read = { done: true, value: undefined };

/** What a body fails with that was given up without a reason. */
const ABANDONED = new Error("The answer is not wanted any more");

/**
 * How a server may have packed an answer. What is said there beside it, such as `none`, is how some servers keep proxies
 * from packing it.
 */
const PACKED = /\b(?:gzip|deflate|br|zstd|compress)\b/iu;

/** What a body fails with that was packed, although the request has said that it is not to be. */
function packedError(encoding: string): Error {
  return new Error(`The answer is packed (content-encoding: ${encoding}), which nobody has asked for`);
}

/**
 * The answer of a provider, as its connection reads it: bytes go to whoever takes them without a stream between, in turn
 * with those of other answers.
 */
export class UpstreamAnswer implements Receiver, DeliveredBytes, AsyncIterator<Uint8Array>, TurnTaker {
  /** Fulfilled with the head, and with this as the body. */
  readonly begun: Promise<FetchAnswer>;
  readonly #turns: Turns;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#giveUp(this.#signal?.reason ?? ABANDONED);
  #begin: (answer: FetchAnswer) => void = () => undefined;
  #refuse: (error: unknown) => void = () => undefined;
  /** What it comes over, as soon as it was asked for. */
  #connection: Connection | undefined;
  #reader: Reader | undefined;
  /** Whether the reader has asked to be left alone for a while. */
  #isHeld = false;
  /** Whether the provider has to wait until what lies here is read. */
  #isPaused = false;
  /** Whether it has been given a turn that it has not taken yet. */
  #isInTurn = false;
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  /** How it ended, once it has: as it should, or by an error. */
  #end: "open" | "whole" | { readonly error: unknown } = "open";

  constructor(turns: Turns, signal: AbortSignal | undefined) {
    this.begun = new Promise((resolve, reject) => {
      this.#begin = resolve;
      this.#refuse = reject;
    });
    this.#turns = turns;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Asks for it, unless it is not wanted any more. */
  ask(connections: Connections, head: string, body: string): void {
    if (this.#end !== "open") return;
    try {
      this.#connection = connections.take();
      this.#connection.send(head, body, this);
    } catch (error) {
      this.#close({ error });
    }
  }

  head({ status, headers }: ResponseHead): void {
    this.#begin({ status, headers: { get: (name) => headers.get(name.toLowerCase()) ?? null }, body: this });
    const encoding = headers.get("content-encoding") ?? "";
    // Its status still counts, but what it says cannot be read, and would be told to people as it is.
    if (PACKED.test(encoding)) this.#giveUp(packedError(encoding));
  }

  bytes(bytes: Buffer, start: number, end: number): void {
    if (this.#end !== "open") return;
    this.#unread.push(Buffer.from(bytes.subarray(start, end)));
    this.#unreadBytes += end - start + BYTES_OF_PIECE;
    if (this.#reader !== undefined && !this.#isHeld) this.#wantTurn();
    if (this.#unreadBytes <= MOST_UNREAD || this.#isPaused) return;
    this.#isPaused = true;
    this.#connection?.pause();
  }

  end(): void {
    this.#close("whole");
  }

  fail(error: Error): void {
    this.#close({ error });
  }

  /** Hands over all bytes, those that have come and those that will. */
  deliver(take: Take<Uint8Array>): Promise<void> {
    return new Promise((resolve, reject) => {
      // Connections are kept for others, and what follows would be put down to whoever has opened this one. Not by
      // AsyncResource.bind, which gives each function a prototype of its own on Node 20: all code that met them got slow,
      // and a whole answer took 1.6 times the processor time.
      const context = new AsyncResource("fullstop.answer");
      const takeInContext: Take<Uint8Array> = (bytes) => context.runInAsyncScope(take, undefined, bytes);
      this.#reader = { take: takeInContext, end: resolve, fail: reject };
      this.#wantTurn();
    });
  }

  takeTurn(): void {
    this.#isInTurn = false;
    if (this.#reader !== undefined) this.#serve(this.#reader);
  }

  /** The next bytes that have come, or will. */
  next(): Promise<Read> {
    return new Promise((resolve, reject) => {
      const take = (value: Uint8Array): undefined => {
        this.#reader = undefined;
        resolve({ done: false, value });
      };
      this.#serve({ take, end: () => resolve(DONE), fail: reject });
    });
  }

  /** Gives up what has not been read, and the connection if there is more to come. */
  return(): Promise<Read> {
    this.#unread = [];
    this.#giveUp(ABANDONED);
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #wantTurn(): void {
    if (this.#isInTurn) return;
    this.#isInTurn = true;
    this.#turns.give(this);
  }

  #serve(reader: Reader): void {
    this.#reader = reader;
    if (!this.#isHeld && this.#unread.length > 0) this.#give(reader, this.#takeUnread());
    if (this.#unread.length > 0) return;
    // Once it is over the connection may serve somebody else.
    if (this.#isPaused && this.#end === "open") {
      this.#isPaused = false;
      this.#connection?.resume();
    }
    this.#tellEnd();
  }

  /** All that lies here, in one piece: whoever is behind has less to do for each of the pieces it came in. */
  #takeUnread(): Uint8Array {
    const pieces = this.#unread;
    this.#unread = [];
    this.#unreadBytes = 0;
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  #give(reader: Reader, bytes: Uint8Array): void {
    let room: Promise<void> | undefined;
    try {
      room = reader.take(bytes);
    } catch (error) {
      // Nobody else could catch it, in a turn that others take as well.
      this.#breakOff(reader, error);
    }
    if (room === undefined) return;
    this.#isHeld = true;
    const goOn = (): void => {
      this.#isHeld = false;
      this.#serve(reader);
    };
    room.then(goOn).catch((error: unknown) => this.#breakOff(reader, error));
  }

  /** Gives nothing more to a reader that could not take what it was given, and has the provider send no more of it. */
  #breakOff(reader: Reader, error: unknown): void {
    this.#isHeld = false;
    this.#reader = undefined;
    reader.fail(error);
    this.#giveUp(error);
  }

  #giveUp(reason: unknown): void {
    if (this.#end !== "open") return;
    this.#unread = [];
    this.#close({ error: reason });
    this.#connection?.close(reason instanceof Error ? reason : ABANDONED);
  }

  #close(end: "whole" | { readonly error: unknown }): void {
    if (this.#end !== "open") return;
    this.#end = end;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    if (end !== "whole") this.#refuse(end.error);
    this.#tellEnd();
  }

  /** Tells the reader how it has ended, once it has all that came before. */
  #tellEnd(): void {
    if (this.#end === "open" || this.#isHeld || this.#unread.length > 0) return;
    if (this.#end === "whole") this.#reader?.end();
    else this.#reader?.fail(this.#end.error);
    this.#reader = undefined;
  }
}
