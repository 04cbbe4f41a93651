import { createFetch } from "../../src/adapters/fetch/index.ts";
import type { FinishedCall, GuardedFetchOptions } from "../../src/adapters/fetch/index.ts";
import type { GenerationEvent, TerminationSignal } from "../../src/index.ts";
import { WIRE_FORMATS } from "../../src/wire/index.ts";
import type { Dialect } from "./provider-server.ts";
import { namedEvents, toBytes } from "./wire-bodies.ts";

/** An address at which each dialect is spoken. */
export const ADDRESSES: Readonly<Record<Dialect, string>> = {
  "openai-chat": "http://provider.test/v1/chat/completions",
  "openai-responses": "http://provider.test/v1/responses",
  "anthropic-messages": "http://provider.test/v1/messages",
  gemini: "http://provider.test/v1beta/models/m:streamGenerateContent?alt=sse",
};

/** What came out of a guarded `fetch`. */
export interface GuardedBytes {
  readonly bytes: Uint8Array;
  /** What reading the body failed with. */
  readonly error: unknown;
  readonly signal: TerminationSignal | undefined;
  readonly call: FinishedCall | undefined;
  /** Whether the rest of the provider's body was given up. */
  readonly isClosed: boolean;
}

/** Sends chunks of bytes through a guarded `fetch`, as if they were a provider's answer. */
export async function guardBytes(
  dialect: Dialect,
  chunks: readonly Uint8Array[],
  options: GuardedFetchOptions,
  status = 200,
): Promise<GuardedBytes> {
  let isClosed = false;
  let index = 0;
  const source = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[index++];
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
      cancel() {
        isClosed = true;
      },
    },
    { highWaterMark: 0 },
  );
  let call: FinishedCall | undefined;
  const fetch = createFetch({
    ...options,
    fetch: () => Promise.resolve(new Response(source, { status })),
    onFinish: (_signal, finished) => (call = finished),
  });
  const body = JSON.stringify({ model: "m", messages: [], contents: [], stream: true });
  const response = await fetch(ADDRESSES[dialect], { method: "POST", body });
  const read: Uint8Array[] = [];
  let error: unknown;
  try {
    // Node's streams can be iterated over; the library's types are those of browsers, of which some cannot.
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) read.push(chunk);
  } catch (caught) {
    error = caught;
  }
  return { bytes: Buffer.concat(read), error, signal: fetch.lastSignal, call, isClosed };
}

/** Payloads of any fields as a stream of events that bear the name of their `type`. */
export function namedFrames(...payloads: readonly object[]): string {
  return namedEvents(...(payloads as readonly { readonly type: string }[]));
}

/** The payloads of a stream under rules, without the word that ends it. */
export async function cutFrames(
  dialect: Dialect,
  frames: string,
  rules: GuardedFetchOptions,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { bytes } = await guardBytes(dialect, [toBytes(frames)], rules);
  return Buffer.from(bytes)
    .toString()
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)) as Readonly<Record<string, unknown>>);
}

/** The events of an answer, read at once. */
export function readEvents(dialect: Dialect, bytes: Uint8Array, status = 200): readonly GenerationEvent[] {
  const events: GenerationEvent[] = [];
  const sink = WIRE_FORMATS[dialect].decodeStream({ status })({
    push: (event) => void events.push(event),
    end: () => undefined,
  });
  sink.push(bytes);
  sink.end();
  return events;
}

/** All the text of one kind of event. */
export function textIn(events: readonly GenerationEvent[], type: "text" | "reasoning" = "text"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("");
}

/** The signal of the last event. */
export function signalIn(events: readonly GenerationEvent[]): TerminationSignal {
  const last = events.at(-1);
  if (last?.type !== "finish") throw new Error("no finish");
  return last.signal;
}
