import type { ServerResponse } from "node:http";
import type { Clock } from "fullstop";
import { unrefClock } from "../unref-clock.ts";

/** How often it is looked whether anything was sent. Some proxies give up on what is silent for half a minute. */
const INTERVAL = 10_000;

/** What is sent in event streams: a comment, which readers leave out. */
export const SIGN_OF_LIFE = ":\n\n";

/**
 * Sends something whenever nothing was sent for a while. A model may think for minutes without a word, and what stands
 * between would take the connection for dead and cut it: the reader would have nothing, and the generation be stopped.
 * Providers send such signs for the same reason, but those end at the gateway.
 */
export function sendSignsOfLife(response: ServerResponse, send: () => void, clock: Clock = unrefClock): void {
  // No "close" comes any more from a reader who has left.
  if (response.destroyed) return;
  let sent = response.socket?.bytesWritten;
  const look = (): void => {
    const isSilent = sent !== undefined && response.socket?.bytesWritten === sent;
    // A reader that is slow has enough to read.
    const isSlow = response.writableNeedDrain || response.socket?.writableNeedDrain === true;
    if (isSilent && !isSlow && !response.writableEnded) send();
    sent = response.socket?.bytesWritten;
    cancel = clock.after(INTERVAL, look);
  };
  let cancel = clock.after(INTERVAL, look);
  response.on("close", () => cancel());
}
