import { awsFrame } from "./aws-frame.mjs";

/** Text as the bytes of a body. */
export const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Payloads as a stream of unnamed events. Strings stand as they are. */
export function dataEvents(...payloads: readonly unknown[]): string {
  return payloads
    .map((payload) => `data: ${typeof payload === "string" ? payload : JSON.stringify(payload)}\n\n`)
    .join("");
}

/** Payloads as a stream of events that bear the name of their `type`. */
export function namedEvents(...payloads: readonly { readonly type: string }[]): string {
  return payloads.map((payload) => `event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`).join("");
}

/** Payloads one a line. */
export function lines(...payloads: readonly unknown[]): string {
  return payloads.map((payload) => `${JSON.stringify(payload)}\n`).join("");
}

type Fields = Readonly<Record<string, unknown>>;

/** A call as Chat Completions writes it. */
export function chatCall(json: string, name = "add", id = "call_1"): Fields {
  return { index: 0, id, type: "function", function: { name, arguments: json } };
}

/** A chunk of Chat Completions. */
export function chatChunk(delta: Fields | undefined, choice: Fields = {}, rest: Fields = {}): Fields {
  const first = { index: 0, ...(delta !== undefined && { delta }), finish_reason: null, ...choice };
  return { id: "chat_1", object: "chat.completion.chunk", created: 1, model: "m", choices: [first], ...rest };
}

/** A stream of Chat Completions: a piece of text, what is given, `[DONE]`. */
export function chatStream(...chunks: readonly unknown[]): string {
  return dataEvents(chatChunk({ role: "assistant", content: "Hello" }), ...chunks, "[DONE]");
}

/** A whole answer in Chat Completions. */
export function chatWhole(message: Fields, choice: Fields, rest: Fields = {}): Fields {
  return {
    id: "chat_1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello", ...message }, ...choice }],
    ...rest,
  };
}

/** A stream of Anthropic Messages: a block of text, what is given, `message_stop`. */
export function messagesStream(delta: Fields, ...blocks: readonly { readonly type: string }[]): string {
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null };
  return namedEvents(
    { type: "message_start", message } as { type: string },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as { type: string },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } } as { type: string },
    { type: "content_block_stop", index: 0 } as { type: string },
    ...blocks,
    { type: "message_delta", delta, usage: { output_tokens: 3 } } as { type: string },
    { type: "message_stop" },
  );
}

/** A whole answer in Anthropic Messages. */
export function messagesWhole(fields: Fields): Fields {
  const content = [{ type: "text", text: "Hello" }];
  return { id: "msg_1", type: "message", role: "assistant", model: "m", content, usage: {}, ...fields };
}

/** A chunk or a whole answer of Gemini. */
export function geminiChunk(candidate: Fields, ...parts: readonly Fields[]): Fields {
  const content = { role: "model", parts: parts.length === 0 ? [{ text: "Hello" }] : parts };
  return { responseId: "r1", modelVersion: "m", candidates: [{ index: 0, content, ...candidate }] };
}

/** A whole answer in OpenAI Responses. */
export function responsesWhole(fields: Fields, ...items: readonly Fields[]): Fields {
  const message = { type: "message", id: "msg_1", content: [{ type: "output_text", text: "Hello" }] };
  return { id: "resp_1", object: "response", model: "m", output: [message, ...items], error: null, ...fields };
}

/** A stream of OpenAI Responses that ends with the given event. */
export function responsesStream(type: string, fields: Fields, ...items: readonly Fields[]): string {
  const added = items.map((item, index) => ({ type: "response.output_item.done", output_index: index + 1, item }));
  return namedEvents(
    { type: "response.created", response: { id: "resp_1", model: "m", status: "in_progress" } } as { type: string },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hello" } as { type: string },
    ...added,
    { type, response: { id: "resp_1", model: "m", output: [], ...fields } } as { type: string },
  );
}

/** A frame of an AWS event stream with the given string headers and JSON. */
export function awsJsonFrame(headers: Readonly<Record<string, string>>, payload: unknown): Uint8Array {
  return awsFrame(headers, JSON.stringify(payload));
}

/** An event of Bedrock's ConverseStream as its frame. */
export function converseEvent(event: string, payload: unknown): Uint8Array {
  return awsJsonFrame({ ":event-type": event, ":content-type": "application/json", ":message-type": "event" }, payload);
}

/** Bytes one after the other. */
export function joinBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
