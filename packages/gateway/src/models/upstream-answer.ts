import type { IncomingHttpHeaders } from "node:http";
import type { FetchAnswer } from "fullstop/engines";
import type { Dispatcher } from "undici";

type Read = IteratorResult<Uint8Array, undefined>;

/** Somebody who waits for the next bytes. */
interface Waiting {
  readonly resolve: (read: Read) => void;
  readonly reject: (error: unknown) => void;
}

/** How many bytes may lie here unread before the provider has to wait. */
const MOST_UNREAD = 65_536;

const DONE: Read = { done: true, value: undefined };

/** What a body fails with that was given up without a reason. */
const ABANDONED = new Error("The answer is not wanted any more");

/**
 * The answer of a provider, as undici's dispatcher hands it over: bytes go from the parser to whoever waits for them
 * without a stream between.
 */
export class UpstreamAnswer implements Dispatcher.DispatchHandler, AsyncIterableIterator<Uint8Array> {
  /** Fulfilled with the head, and with this as the body. */
  readonly begun: Promise<FetchAnswer>;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#giveUp(this.#signal?.reason ?? ABANDONED);
  #begin: (answer: FetchAnswer) => void = () => undefined;
  #refuse: (error: unknown) => void = () => undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #waiting: Waiting | undefined;
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  /** How it ended, once it has: as it should, or by an error. */
  #end: "open" | "whole" | { readonly error: unknown } = "open";

  constructor(signal: AbortSignal | undefined) {
    this.begun = new Promise((resolve, reject) => {
      this.#begin = resolve;
      this.#refuse = reject;
    });
    this.#signal = signal;
    if (signal?.aborted === true) this.#onAbort();
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It was given up while it waited for a connection.
    if (this.#end !== "open") controller.abort(ABANDONED);
  }

  onResponseStart(_controller: unknown, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    const get = (name: string): string | null => [headers[name] ?? []].flat().join(", ") || null;
    this.#begin({ status, headers: { get }, body: this });
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Uint8Array): void {
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = undefined;
      waiting.resolve({ done: false, value: bytes });
      return;
    }
    this.#unread.push(bytes);
    this.#unreadBytes += bytes.byteLength;
    if (this.#unreadBytes > MOST_UNREAD) controller.pause();
  }

  onResponseEnd(): void {
    this.#close("whole");
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#close({ error });
  }

  /** The next bytes that have come, or will. */
  next(): Promise<Read> {
    const bytes = this.#unread.shift();
    if (bytes !== undefined) {
      this.#unreadBytes -= bytes.byteLength;
      if (this.#unread.length === 0 && this.#controller?.paused === true) this.#controller.resume();
      return Promise.resolve({ done: false, value: bytes });
    }
    if (this.#end === "whole") return Promise.resolve(DONE);
    if (this.#end !== "open") return Promise.reject(this.#end.error);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
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

  #giveUp(reason: unknown): void {
    if (this.#end !== "open") return;
    this.#close({ error: reason });
    this.#controller?.abort(reason instanceof Error ? reason : ABANDONED);
  }

  #close(end: "whole" | { readonly error: unknown }): void {
    if (this.#end !== "open") return;
    this.#end = end;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (end === "whole") waiting?.resolve(DONE);
    else {
      waiting?.reject(end.error);
      this.#refuse(end.error);
    }
  }
}
