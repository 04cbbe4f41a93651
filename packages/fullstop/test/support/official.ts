import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createTerminationSignal } from "../../src/index.ts";
import type {
  FinishEvent,
  GenerationEvent,
  Stage,
  TerminationReason,
  TerminationSignalParts,
  Usage,
} from "../../src/index.ts";
import { encodeAnthropicMessagesResponse } from "../../src/wire/anthropic-messages/encode-response.ts";
import { encodeAnthropicMessagesStream } from "../../src/wire/anthropic-messages/encode-stream.ts";
import type { EncodedResponse, EncodeOptions, WireWarning } from "../../src/wire/format.ts";
import { encodeGeminiResponse } from "../../src/wire/gemini/encode-response.ts";
import { encodeGeminiStream } from "../../src/wire/gemini/encode-stream.ts";
import { encodeOpenaiChatResponse } from "../../src/wire/openai-chat/encode-response.ts";
import { encodeOpenaiChatStream } from "../../src/wire/openai-chat/encode-stream.ts";
import { encodeOpenaiResponsesResponse } from "../../src/wire/openai-responses/encode-response.ts";
import { encodeOpenaiResponsesStream } from "../../src/wire/openai-responses/encode-stream.ts";

/** The two ways of writing an answer in one dialect. */
export interface Encoder {
  readonly stream: (options?: EncodeOptions) => Stage<GenerationEvent, string>;
  readonly response: (events: Iterable<GenerationEvent>, options?: EncodeOptions) => EncodedResponse;
}

export type Dialect = "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini";

export const ENCODERS: Readonly<Record<Dialect, Encoder>> = {
  "openai-chat": { stream: encodeOpenaiChatStream, response: encodeOpenaiChatResponse },
  "openai-responses": { stream: encodeOpenaiResponsesStream, response: encodeOpenaiResponsesResponse },
  "anthropic-messages": { stream: encodeAnthropicMessagesStream, response: encodeAnthropicMessagesResponse },
  gemini: { stream: encodeGeminiStream, response: encodeGeminiResponse },
};

export const DIALECTS: readonly Dialect[] = ["openai-chat", "openai-responses", "anthropic-messages", "gemini"];

/** A JSON object as it was written. */
export type Json = Readonly<Record<string, unknown>>;

/** What stands at a place in some JSON; undefined if nothing does. */
export function read(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce((inner, key) => (inner as Readonly<Record<string | number, unknown>> | undefined)?.[key], value);
}

/** The list that stands at a place in some JSON; an empty one if none does. */
export function readList(value: unknown, ...path: readonly (string | number)[]): readonly Json[] {
  const list = read(value, ...path);
  return Array.isArray(list) ? (list as readonly Json[]) : [];
}

export const start: GenerationEvent = { type: "start", id: "gen-1", model: "some-model" };
export const text = (value: string): GenerationEvent => ({ type: "text", text: value });
export const reasoning = (value: string): GenerationEvent => ({ type: "reasoning", text: value });
export const signature = (value: string, signedBy?: string): GenerationEvent => ({
  type: "reasoning",
  text: "",
  signature: value,
  signedBy,
});
export const redacted = (value: string, signedBy?: string): GenerationEvent => ({
  type: "reasoning",
  text: "",
  signature: value,
  signedBy,
  redacted: true,
});
export const opaque = (format: string, value: unknown): GenerationEvent => ({ type: "opaque", format, value });
export const callStart = (callId: string, name: string): GenerationEvent => ({ type: "tool-call-start", callId, name });
export const callDelta = (callId: string, json: string): GenerationEvent => ({ type: "tool-call-delta", callId, json });
export const callEnd = (callId: string, proof: { signature?: string; signedBy?: string } = {}): GenerationEvent => ({
  type: "tool-call-end",
  callId,
  ...proof,
});
export const usage = (counts: Usage): GenerationEvent => ({ type: "usage", usage: counts });

/** A whole call, its arguments in two pieces. */
export function call(callId: string, name: string, json: string): GenerationEvent[] {
  const middle = Math.ceil(json.length / 2);
  return [
    callStart(callId, name),
    callDelta(callId, json.slice(0, middle)),
    callDelta(callId, json.slice(middle)),
    callEnd(callId),
  ];
}

export function finish(reason: TerminationReason, parts: Partial<TerminationSignalParts> = {}): FinishEvent {
  const signal = createTerminationSignal({ originalField: "test", originalValue: reason, ...parts, reason });
  return { type: "finish", signal };
}

/** What an encoder has written. */
export interface Written {
  readonly frames: readonly string[];
  readonly ends: number;
  readonly warnings: readonly WireWarning[];
}

/** Sends events through the stream encoder of a dialect. */
export function writeStream(
  dialect: Dialect,
  events: readonly GenerationEvent[],
  options: EncodeOptions = {},
): Written {
  const frames: string[] = [];
  const warnings: WireWarning[] = [];
  let ends = 0;
  const stage = ENCODERS[dialect].stream({ ...options, onWarning: (warning) => void warnings.push(warning) });
  const sink = stage({ push: (frame) => void frames.push(frame), end: () => void (ends += 1) });
  for (const event of events) sink.push(event);
  sink.end();
  return { frames, ends, warnings };
}

/** A whole answer as it goes over the wire, and the fields that its encoder has warned of. */
export function writeWhole(
  dialect: Dialect,
  events: readonly GenerationEvent[],
): { readonly body: Json; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const { body } = ENCODERS[dialect].response(events, { onWarning: ({ field }) => void warnings.push(field) });
  return { body: JSON.parse(JSON.stringify(body)) as Json, warnings };
}

/** How the word that ends a Chat stream is told from its chunks. */
export const DONE: Json = { sentinel: "[DONE]" };

/** The payloads of frames, each of which has to be one event of a server-sent event stream. */
export function payloadsOf(frames: readonly string[]): readonly Json[] {
  return frames.map((frame) => {
    const match = /^(?:event: (?<event>[^\n]+)\n)?data: (?<data>[^\n]+)\n\n$/u.exec(frame);
    if (match === null) throw new Error(`not a frame: ${JSON.stringify(frame)}`);
    const { event, data = "" } = match.groups ?? {};
    if (data === "[DONE]") return DONE;
    const value = JSON.parse(data) as Json;
    if (event !== undefined && value["type"] !== event) throw new Error(`not an event ${event}: ${data}`);
    return value;
  });
}

/** Serves the answer that a dialect's encoder makes of events, streaming or whole as asked, while `use` runs. */
export async function serve<T>(
  dialect: Dialect,
  events: readonly GenerationEvent[],
  use: (address: string) => Promise<T>,
): Promise<T> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const isStream =
        (JSON.parse(body) as Json)["stream"] === true || /streamGenerateContent/u.test(request.url ?? "");
      if (isStream) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const frame of writeStream(dialect, events).frames) response.write(frame);
        response.end();
      } else {
        const whole = ENCODERS[dialect].response(events);
        response.writeHead(whole.status, { "content-type": "application/json" });
        response.end(JSON.stringify(whole.body));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
