import type { ServerResponse } from "node:http";

/** Writes a piece of a stream, and waits where the reader is slow. False if the reader has gone. */
export async function sendText(response: ServerResponse, text: string): Promise<boolean> {
  if (response.destroyed) return false;
  if (!response.write(text)) await roomIn(response);
  return !response.destroyed;
}

/** Waits until more can be written, or nothing any more. */
function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}
