import { run } from "fullstop";
import { decodeSse } from "fullstop/wire";
import type { ServerSentEvent } from "fullstop/wire";
import { call } from "./http.ts";
import { Patience, isRefusal } from "./persist.ts";
import { whenSeen, whileSeen } from "./seen.ts";

/** Reads server-sent events with the key in a header, which `EventSource` cannot send. */
async function* readEventStream(
  address: string,
  signal: AbortSignal,
  onOpen: () => void,
): AsyncGenerator<ServerSentEvent> {
  const response = await call(address, { headers: { accept: "text/event-stream" }, signal });
  onOpen();
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
 * Reads a stream to its last event, over as many connections as it takes, while somebody sees the tab. Rejects when the
 * gateway refuses it, or when the signal fires.
 */
export async function followStream(handlers: StreamHandlers, signal: AbortSignal): Promise<void> {
  const patience = new Patience();
  // A model may be silent for long, so that it is not the first event that shows that the gateway is there.
  const onOpen = (): void => handlers.onConnection(true);
  let isOver = false;
  const read = async (connected: AbortSignal): Promise<void> => {
    for await (const event of readEventStream(handlers.address(), connected, onOpen)) {
      patience.renew();
      isOver = handlers.take(event);
      if (isOver) return;
    }
  };
  for (;;) {
    await whenSeen(signal);
    try {
      const isComplete = await whileSeen(read, signal);
      if (isOver) return;
      signal.throwIfAborted();
      if (!isComplete) continue;
    } catch (error) {
      if (signal.aborted || isRefusal(error)) throw error;
    }
    handlers.onConnection(false);
    await patience.rest(signal);
  }
}
