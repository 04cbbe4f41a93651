import type { Take } from "../engine.ts";

/** Bytes that can also be handed over in the run in which they come, which is faster than to iterate over them. */
export interface DeliveredBytes extends AsyncIterable<Uint8Array> {
  /** Fulfilled when all of them were taken. */
  deliver(take: Take<Uint8Array>): Promise<void>;
}

/** What is looked at of the answer to a request. A `Response` is one. */
export interface FetchAnswer {
  readonly status: number;
  /** `opaqueredirect` where a browser hides that the server sends us elsewhere. */
  readonly type?: string | undefined;
  readonly headers: Pick<Headers, "get">;
  /** The bytes as they come, in whichever way they are read. Some runtimes have none to give. */
  readonly body?: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | DeliveredBytes | null | undefined;
}

/**
 * Sends a request. The global `fetch` is one; whoever has a leaner way to the network answers with no more than is
 * looked at. The signal in `init` closes the connection at any time, also after the answer has begun.
 */
export type Fetch = (url: string, init: RequestInit) => Promise<FetchAnswer>;

/** The bytes of an answer. They are read by one, in one of two ways. */
export interface Body {
  /** The next bytes, or the end. */
  readonly next: () => Promise<IteratorResult<Uint8Array, unknown>>;
  /** Hands over all of them as they come. */
  readonly deliver: (take: Take<Uint8Array>) => Promise<void>;
}

const NO_BODY: Body = {
  next: () => Promise.resolve({ done: true, value: undefined }),
  deliver: () => Promise.resolve(),
};

/** Opens the body of an answer. It is closed when the signal fires, also where `fetch` makes no use of its signal. */
export function openBody(body: FetchAnswer["body"], signal: AbortSignal): Body {
  if (body === null || body === undefined) return NO_BODY;
  const { next, close } = "getReader" in body ? openStream(body) : openIteration(body);
  const deliver =
    "deliver" in body ? body.deliver.bind(body) : (take: Take<Uint8Array>) => deliverEach(next, take, signal);
  // What an abandoned body has to say to it concerns nobody.
  const abandon = (): void => void Promise.resolve(close()).catch(() => undefined);
  if (signal.aborted) abandon();
  else signal.addEventListener("abort", abandon, { once: true });
  return { next, deliver };
}

async function deliverEach(next: Body["next"], take: Take<Uint8Array>, signal: AbortSignal): Promise<void> {
  for (let read = await next(); read.done !== true; read = await next()) {
    const room = take(read.value);
    if (room !== undefined) await room;
    // Whoever is asked for more may not hear that it is to close before that has come.
    signal.throwIfAborted();
  }
}

interface OpenBody extends Pick<Body, "next"> {
  readonly close: () => unknown;
}

function openStream(body: ReadableStream<Uint8Array>): OpenBody {
  const reader = body.getReader();
  return { next: () => reader.read(), close: () => reader.cancel() };
}

function openIteration(body: AsyncIterable<Uint8Array>): OpenBody {
  const iterator = body[Symbol.asyncIterator]();
  return { next: () => iterator.next(), close: () => iterator.return?.() };
}
