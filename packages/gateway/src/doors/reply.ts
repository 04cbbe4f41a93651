import type { ServerResponse } from "node:http";
import type { GenerationEvent, TerminationSignal } from "fullstop";
import type { EncodeOptions, EncodedResponse, WireFormat } from "fullstop/wire";
import type { LiveGeneration } from "../generations/live-generation.ts";
import { framedHead } from "./framing.ts";
import type { Framing } from "./framing.ts";
import { StreamWriter } from "./stream-writer.ts";

/** How long a stream's head is held back for the case that the answer is an error, which wants another status. */
const HEAD_PATIENCE = 2000;

/** The header that names a generation. */
const GENERATION_ID_HEADER = "x-fullstop-generation-id";

/** Sends a generation as it comes. Returns when all was sent or the reader has gone. */
export async function sendStream(
  response: ServerResponse,
  generation: LiveGeneration,
  format: WireFormat,
  options: EncodeOptions,
  framing: Framing,
): Promise<void> {
  const failure = await earlyFailure(generation);
  if (failure !== undefined) {
    sendBody(response, generation.id, format.encodeError(failure), failure);
    return;
  }
  response.writeHead(200, streamHead(generation.id, framing));
  await new StreamWriter(response, generation.log, format.encodeStream(options), framing).done;
}

/** The headers of a stream. */
export function streamHead(id: string, framing: Framing): Readonly<Record<string, string>> {
  return { ...framedHead(framing), [GENERATION_ID_HEADER]: id };
}

/** Sends a generation in one piece, when it has ended. */
export async function sendWhole(
  response: ServerResponse,
  generation: LiveGeneration,
  format: WireFormat,
  options: EncodeOptions,
): Promise<void> {
  const signal = await generation.ended;
  sendBody(response, generation.id, format.encodeResponse(generation.log.all(), options), signal);
}

/** Sends a body in one piece; with an error, when to try again, if its signal says so. */
export function sendBody(
  response: ServerResponse,
  id: string,
  { status, body }: EncodedResponse,
  signal?: TerminationSignal,
): void {
  if (response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    [GENERATION_ID_HEADER]: id,
    ...(status >= 400 && signal !== undefined && retryAfter(signal)),
  });
  response.end(text);
}

/** When a provider, or the gateway itself, asks to be left alone for a while, the caller has to know. */
export function retryAfter({ providerSpecific: { metadata } }: TerminationSignal): Readonly<Record<string, string>> {
  const milliseconds = metadata?.["retryAfterMilliseconds"];
  return typeof milliseconds === "number" ? { "retry-after": String(Math.ceil(milliseconds / 1000)) } : {};
}

/** Waits for the first output, but not for long, and gives the error if there was one instead of output. */
async function earlyFailure({ log }: LiveGeneration): Promise<TerminationSignal | undefined> {
  const first = firstOutput(log.follow(1));
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, HEAD_PATIENCE, undefined);
  });
  const event = await Promise.race([first, patience]);
  clearTimeout(timer);
  return event?.type === "finish" && event.signal.reason === "error_termination" ? event.signal : undefined;
}

/** The first event that says something. Some providers tell what the prompt has cost before they know whether they can. */
async function firstOutput(batches: AsyncIterable<readonly GenerationEvent[]>): Promise<GenerationEvent | undefined> {
  for await (const batch of batches) {
    const output = batch.find(({ type }) => type !== "usage");
    if (output !== undefined) return output;
  }
  return undefined;
}
