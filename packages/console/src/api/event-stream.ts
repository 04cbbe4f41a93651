import { run } from "fullstop";
import { decodeSse } from "fullstop/wire";
import type { ServerSentEvent } from "fullstop/wire";
import { ApiError, call } from "./http.ts";

/** Reads server-sent events with the key in a header, which `EventSource` cannot send. */
export async function* readEventStream(address: string, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
  const response = await call(address, { headers: { accept: "text/event-stream" }, signal });
  if (response.body !== null) yield* run(chunksOf(response.body), decodeSse());
}

/** Not every browser can iterate over a stream by itself. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 4000;

/** What goes on with a stream that is opened again whenever it breaks. */
export interface StreamHandlers {
  /** The address to read from now, given that earlier connections may have brought something. */
  readonly address: () => string;
  /** Takes an event. True if it was the last. */
  readonly take: (event: ServerSentEvent) => boolean;
  /** Told when the connection is lost, and when it is there again. */
  readonly onConnection: (isConnected: boolean) => void;
}

/**
 * Reads a stream to its last event, over as many connections as it takes. Rejects when the gateway refuses it, or when
 * the signal fires.
 */
export async function followStream(handlers: StreamHandlers, signal: AbortSignal): Promise<void> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
    try {
      for await (const event of readEventStream(handlers.address(), signal)) {
        handlers.onConnection(true);
        pause = FIRST_PAUSE;
        if (handlers.take(event)) return;
      }
    } catch (error) {
      if (signal.aborted || (error instanceof ApiError && error.status < 500)) throw error;
    }
    signal.throwIfAborted();
    handlers.onConnection(false);
    await new Promise((resolve) => setTimeout(resolve, pause));
    signal.throwIfAborted();
  }
}
