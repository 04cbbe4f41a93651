import type { TerminationSignal } from "../termination.ts";
import type { Clock } from "../clock.ts";
import type { Connection } from "./connection.ts";
import { networkSignal, redirectSignal, retryAfterOf } from "./failures.ts";

/** Sends a request. The global `fetch` is one. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What has to be known to send a request. */
export interface Call {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

/** The first sign of an answer. */
export interface ResponseHead {
  readonly status: number;
  readonly retryAfterMilliseconds: number | undefined;
}

/** What comes from a server, in this order: the head of its answer, its bytes. A failure comes instead of the rest. */
export type Received = ResponseHead | Uint8Array | { readonly failure: TerminationSignal };

/** One exchange with a server. */
export interface Exchange {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly fetch: Fetch;
  /** Works out what to send. */
  prepare(): Promise<Call>;
  /** Whether the answer has ended by its own account, so that hardly anything can follow. */
  isAnswered(): boolean;
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/** How long and how much to read on after the end of an answer. */
const DRAIN_MILLISECONDS = 1_000;
const DRAIN_BYTES = 65_536;

/** Sends a request and passes on what comes back, one read at a time. Leaving early closes the connection. */
export async function* receive(exchange: Exchange): AsyncGenerator<Received, void, undefined> {
  const { connection, clock } = exchange;
  let reader: BodyReader | undefined;
  let isOver = false;
  connection.open();
  try {
    const call = await exchange.prepare();
    const response = await attempt(connection.wait("firstByteMilliseconds", send(exchange, call)));
    if ("failure" in response) {
      yield response;
      return;
    }
    const { status, type, headers, body } = response;
    reader = body?.getReader();
    if (reader !== undefined) closeWith(connection.socket, reader);
    if (type === "opaqueredirect" || (status >= 300 && status < 400)) {
      yield { failure: redirectSignal(status) };
      return;
    }
    yield { status, retryAfterMilliseconds: retryAfterOf(headers, clock.now()) };
    while (!isOver) {
      const read = await attempt(connection.wait("silenceMilliseconds", readNext(reader)));
      isOver = "failure" in read || read.done;
      if ("failure" in read) yield read;
      else if (read.value !== undefined) yield read.value;
    }
  } finally {
    connection.close();
    if (exchange.isAnswered() && !isOver && reader !== undefined) drain(reader, exchange);
    else if (!isOver) connection.giveUp();
  }
}

async function readNext(reader: BodyReader | undefined): Promise<ReadableStreamReadResult<Uint8Array>> {
  return reader === undefined ? { done: true, value: undefined } : reader.read();
}

async function send({ fetch, connection }: Exchange, { url, headers, body }: Call): Promise<Response> {
  // A redirect is not followed: browsers and servers alike would send the key along in headers of its own.
  return fetch(url, { method: "POST", headers, body, redirect: "manual", signal: connection.socket });
}

/** What a promise gives, or how it failed. */
async function attempt<T extends object>(promise: Promise<T>): Promise<T | { readonly failure: TerminationSignal }> {
  try {
    return await promise;
  } catch (error) {
    return { failure: networkSignal(error) };
  }
}

/** Closes a body when a signal fires. The body of a `fetch` that makes no use of its signal has to be told. */
function closeWith(signal: AbortSignal, reader: BodyReader): void {
  // What an abandoned body has to say to it concerns nobody.
  const close = (): void => void reader.cancel().catch(() => undefined);
  if (signal.aborted) close();
  else signal.addEventListener("abort", close, { once: true });
}

/**
 * Reads what little follows the end of an answer, so that the connection can serve the next request; closing it here
 * would cost every request a new one.
 */
function drain(reader: BodyReader, { connection, clock }: Exchange): void {
  const stop = clock.after(DRAIN_MILLISECONDS, () => connection.giveUp());
  const readOn = async (): Promise<void> => {
    for (let left = DRAIN_BYTES; left > 0;) {
      const read = await reader.read();
      if (read.done) return;
      left -= read.value.byteLength;
    }
    connection.giveUp();
  };
  // The answer was whole before this, so that a failure here is nobody's.
  readOn()
    .catch(() => undefined)
    .finally(stop);
}
