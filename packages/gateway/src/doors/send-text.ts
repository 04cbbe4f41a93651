import type { ServerResponse } from "node:http";

/** How long a reader may take nothing at all before it counts as gone. */
const READER_PATIENCE = 60_000;

/** Writes a piece of a stream, and waits where the reader is slow. False if the reader has gone. */
export async function sendText(
  response: ServerResponse,
  text: string,
  patience: number = READER_PATIENCE,
): Promise<boolean> {
  if (response.destroyed) return false;
  if (!response.write(text)) await roomIn(response, patience);
  return !response.destroyed;
}

/**
 * Waits until more can be written, or nothing any more. A reader that has fallen asleep would otherwise hold the
 * generation and the connection to its provider for as long as it likes; one that takes anything is waited for.
 */
export function roomIn(response: ServerResponse, patience: number = READER_PATIENCE): Promise<void> {
  return new Promise((resolve) => {
    const { socket } = response;
    const giveUp = (): void => void response.destroy();
    const done = (): void => {
      response.off("drain", done);
      socket?.off("drain", done);
      response.off("close", done);
      response.off("timeout", giveUp);
      response.setTimeout(0);
      resolve();
    };
    response.on("drain", done);
    // The response says nothing of what was written to its socket.
    socket?.on("drain", done);
    response.on("close", done);
    response.on("timeout", giveUp);
    response.setTimeout(patience);
  });
}
