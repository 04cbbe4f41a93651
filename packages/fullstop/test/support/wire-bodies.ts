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

/** A frame of an AWS event stream with the given string headers. */
export function awsFrame(headers: Readonly<Record<string, string>>, payload: unknown): Uint8Array {
  const body = toBytes(JSON.stringify(payload));
  const head = Object.entries(headers).flatMap(([name, value]) => [
    name.length,
    ...toBytes(name),
    7,
    value.length >> 8,
    value.length & 0xff,
    ...toBytes(value),
  ]);
  const frame = new Uint8Array(12 + head.length + body.length + 4);
  const view = new DataView(frame.buffer);
  view.setUint32(0, frame.length);
  view.setUint32(4, head.length);
  view.setUint32(8, checksum(frame.subarray(0, 8)));
  frame.set(head, 12);
  frame.set(body, 12 + head.length);
  view.setUint32(frame.length - 4, checksum(frame.subarray(0, -4)));
  return frame;
}

/** CRC-32 bit by bit, as its definition has it: a check on the table-driven one of the reader. */
function checksum(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (0xedb88320 & -(rest & 1));
  }
  return ~rest >>> 0;
}

/** An event of Bedrock's ConverseStream as its frame. */
export function converseEvent(event: string, payload: unknown): Uint8Array {
  return awsFrame({ ":event-type": event, ":content-type": "application/json", ":message-type": "event" }, payload);
}

/** Bytes one after the other. */
export function joinBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
