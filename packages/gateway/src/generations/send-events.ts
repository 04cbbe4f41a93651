import type { ServerResponse } from "node:http";
import type { GenerationEvent } from "fullstop";
import type { Operations } from "../operations/operations.ts";
import { asEvents, framedHead } from "../doors/framing.ts";
import { sendText } from "../doors/send-text.ts";
import { SIGN_OF_LIFE, sendSignsOfLife } from "../doors/signs-of-life.ts";
import type { GenerationView } from "./view.ts";

/** How many characters are written for a reader before it has to take them: all of a long answer would be too much. */
const MOST_AT_ONCE = 65_536;

/** How many milliseconds pass between two looks at what is held back, for readers who want to see it. */
const HELD_INTERVAL = 100;

/** What a reader wants of a generation. */
export interface EventsWish {
  /** How many events it has already. */
  readonly from: number;
  /** Whether it wants to see the text that stop rules hold back at present, too. */
  readonly wantsHeld: boolean;
}

/** Sends events from an offset on. The id of each is the offset at which a reader that has it goes on. */
export async function sendEvents(
  response: ServerResponse,
  generation: GenerationView,
  { from, wantsHeld }: EventsWish,
): Promise<void> {
  response.writeHead(200, framedHead(asEvents()));
  if (endedAtHead(response)) return;
  // The reader learns that it is connected, also where nothing has been generated yet.
  response.flushHeaders();
  sendSignsOfLife(response, () => void response.write(SIGN_OF_LIFE));
  if (wantsHeld) sendHeld(response, generation);
  let offset = from;
  let last: GenerationEvent | undefined;
  for await (const batch of generation.follow(from, whenClosed(response))) {
    let frames = "";
    last = batch.at(-1);
    for (const event of batch) {
      offset += 1;
      frames += `id: ${offset}\ndata: ${JSON.stringify(event)}\n\n`;
      if (frames.length < MOST_AT_ONCE) continue;
      if (!(await sendText(response, frames))) return;
      frames = "";
    }
    if (frames !== "" && !(await sendText(response, frames))) return;
  }
  endStream(response, last);
}

/**
 * Ends a stream after its finish. Where there was none, because the generation was deleted or the store has forgotten
 * it, the connection is broken: nobody must take that for the end of the answer.
 */
export function endStream(response: ServerResponse, last: GenerationEvent | undefined): void {
  if (last?.type === "finish") response.end();
  else response.destroy();
}

/**
 * Looks after a stream that was taken out of Fastify's hands. If the store fails in the middle of it, the connection is
 * broken: an end that looks like one would be taken for the end of the answer, and a reader comes back for the rest.
 */
export async function keepConnected(
  operations: Pick<Operations, "reportStoreFailure">,
  response: ServerResponse,
  sending: Promise<void>,
): Promise<void> {
  try {
    await sending;
  } catch (error) {
    response.destroy();
    operations.reportStoreFailure(error);
  }
}

/**
 * Sends what is held back whenever that has changed. It is no event of the generation and has no id: a reader that
 * comes back later does not get it again.
 */
function sendHeld(response: ServerResponse, generation: GenerationView): void {
  // No "close" comes any more from a reader who has left while the generation was looked for; the timer would stay.
  if (response.destroyed) return;
  let sent = "";
  const timer = setInterval(() => {
    const { held } = generation;
    // For a reader that is slow it would only be more to read.
    if (held === sent || response.writableNeedDrain || response.writableEnded) return;
    sent = held;
    response.write(`event: held\ndata: ${JSON.stringify({ text: held })}\n\n`);
  }, HELD_INTERVAL);
  response.on("finish", () => clearInterval(timer));
  response.on("close", () => clearInterval(timer));
}

/** Ends a response to whoever asks for the head of a stream alone. False if all of it is wanted. */
export function endedAtHead(response: ServerResponse): boolean {
  if (response.req.method !== "HEAD") return false;
  response.end();
  return true;
}

/** Fires when a response is over, also because its reader has gone. */
export function whenClosed(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  // No "close" comes any more from a reader who has left while the generation was looked for.
  if (response.destroyed) closed.abort();
  else response.on("close", () => closed.abort());
  return closed.signal;
}
