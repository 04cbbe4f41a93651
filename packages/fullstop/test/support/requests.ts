import fc from "fast-check";
import type { AssistantMessage, GenerationRequest, ImagePart, Message, ToolDefinition } from "../../src/request.ts";
import { decodeAnthropicMessagesRequest } from "../../src/wire/anthropic-messages/decode-request.ts";
import { encodeAnthropicMessagesRequest } from "../../src/wire/anthropic-messages/encode-request.ts";
import type { WireFormat } from "../../src/wire/format.ts";
import { decodeGeminiRequest } from "../../src/wire/gemini/decode-request.ts";
import { encodeGeminiRequest } from "../../src/wire/gemini/encode-request.ts";
import { decodeOpenaiChatRequest } from "../../src/wire/openai-chat/decode-request.ts";
import { encodeOpenaiChatRequest } from "../../src/wire/openai-chat/encode-request.ts";
import { decodeOpenaiResponsesRequest } from "../../src/wire/openai-responses/decode-request.ts";
import { encodeOpenaiResponsesRequest } from "../../src/wire/openai-responses/encode-request.ts";

/** The names of the dialects in which requests are read and written. */
export type DialectName = "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini";

/** How requests are read and written in one dialect. */
export interface Dialect {
  readonly name: DialectName;
  readonly decode: WireFormat["decodeRequest"];
  readonly encode: WireFormat["encodeRequest"];
}

/** Every dialect in which requests are read and written. */
export const DIALECTS: readonly Dialect[] = [
  {
    name: "openai-chat",
    decode: decodeOpenaiChatRequest,
    encode: (request) => encodeOpenaiChatRequest(request, { allowedTools: true }),
  },
  {
    name: "openai-responses",
    decode: decodeOpenaiResponsesRequest,
    encode: (request) => encodeOpenaiResponsesRequest(request, { allowedTools: true }),
  },
  { name: "anthropic-messages", decode: decodeAnthropicMessagesRequest, encode: encodeAnthropicMessagesRequest },
  { name: "gemini", decode: decodeGeminiRequest, encode: encodeGeminiRequest },
];

/** A body as it arrives on the other side. */
export function overTheWire(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body)) as unknown;
}

const plain = { noNullPrototype: true } as const;
const text = fc.oneof({ weight: 4, arbitrary: fc.string() }, fc.constantFrom("", " ", "\n\n"));
const toolName = fc.constantFrom("search", "read_file", "run");
const callId = fc.constantFrom("call_a", "call_b", "toolu_1", "functions.f:0");
const signature = fc.base64String({ minLength: 4 });
const signedBy = fc.constantFrom("openai-chat", "openai-responses", "anthropic-messages", "gemini");
const schema = fc.constantFrom(
  { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  { type: "object", properties: {}, additionalProperties: false },
);

/** What only one dialect has, which none of them reads. */
const native = fc.record(
  {
    format: signedBy,
    fields: fc.dictionary(
      fc.constantFrom("own", "another"),
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant({ x: [null] })),
      { minKeys: 1, noNullPrototype: true },
    ),
  },
  plain,
);

/** The same things, some of them with something that only one dialect has. */
function withNative<T extends object>(things: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 3, arbitrary: things },
    fc.tuple(things, native).map(([thing, own]) => ({ ...thing, native: own })),
  );
}

const opaquePart = fc.record(
  {
    type: fc.constant("opaque" as const),
    format: signedBy,
    value: fc.record({ type: fc.constant("document"), own: fc.string() }, plain),
  },
  plain,
);

const textPart = fc.record({ type: fc.constant("text" as const), text }, plain);

const address = fc.record({ type: fc.constant("url" as const), url: fc.constant("https://example.com/image") }, plain);
const file = fc.record(
  { type: fc.constant("file" as const), id: fc.constantFrom("file-1", "file_1", "files/x", "whose") },
  plain,
);
const data = fc.record(
  {
    type: fc.constant("data" as const),
    mediaType: fc.constantFrom("image/png", "image/webp"),
    data: fc.base64String({ minLength: 4 }),
  },
  plain,
);
const detail = fc.constantFrom("low", "medium", "high", "auto", "original");
const imagePart: fc.Arbitrary<ImagePart> = fc.oneof(
  fc.record(
    {
      type: fc.constant("image" as const),
      source: fc.oneof(address, file),
      mediaType: fc.constantFrom("image/png", "image/gif"),
      detail,
    },
    { ...plain, requiredKeys: ["type", "source"] },
  ),
  fc.record(
    { type: fc.constant("image" as const), source: data, detail },
    { ...plain, requiredKeys: ["type", "source"] },
  ),
);

const reasoningPart = fc.oneof(
  fc.record({ type: fc.constant("reasoning" as const), text: fc.string({ minLength: 1 }) }, plain),
  fc.record(
    { type: fc.constant("reasoning" as const), text: fc.string({ minLength: 1 }), signature, signedBy },
    { ...plain, requiredKeys: ["type", "text", "signature"] },
  ),
  fc.record(
    {
      type: fc.constant("reasoning" as const),
      text: fc.constant(""),
      signature,
      signedBy,
      redacted: fc.constant(true),
    },
    { ...plain, requiredKeys: ["type", "text", "signature"] },
  ),
);

const call = {
  type: fc.constant("tool-call" as const),
  callId,
  name: toolName,
  json: fc.oneof(
    { weight: 4, arbitrary: fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)) },
    fc.constantFrom("", " "),
  ),
};
const toolCallPart = fc.oneof(
  fc.record(call, plain),
  fc.record(
    { ...call, signature, signedBy },
    { ...plain, requiredKeys: ["type", "callId", "name", "json", "signature"] },
  ),
);

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant("system" as const), content: fc.array(withNative(textPart), { maxLength: 2 }) }, plain),
  fc.record(
    {
      role: fc.constant("user" as const),
      content: fc.array(fc.oneof(withNative(textPart), withNative(imagePart), opaquePart), { maxLength: 3 }),
    },
    plain,
  ),
  fc.record(
    {
      role: fc.constant("assistant" as const),
      content: fc.array(fc.oneof(withNative(textPart), reasoningPart, withNative(toolCallPart)), { maxLength: 4 }),
      isPartial: fc.boolean(),
    },
    { ...plain, requiredKeys: ["role", "content"] },
  ),
  withNative(
    fc.record(
      {
        role: fc.constant("tool" as const),
        callId,
        name: toolName,
        content: fc.array(fc.oneof(textPart, withNative(imagePart), opaquePart), { maxLength: 3 }),
        isError: fc.boolean(),
      },
      { ...plain, requiredKeys: ["role", "callId", "content"] },
    ),
  ),
);

const tool: fc.Arbitrary<ToolDefinition> = withNative(
  fc.record(
    { name: toolName, description: text, parameters: schema, strict: fc.boolean() },
    { ...plain, requiredKeys: ["name"] },
  ),
);

const amount = fc.integer({ min: -16, max: 16 }).map((eighths) => eighths / 8);
const share = fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8);

/** Messages in any order, among them one of a user that says something. */
const anyMessages = fc
  .tuple(fc.array(message, { maxLength: 4 }), fc.string(), fc.array(message, { maxLength: 4 }))
  .map(([before, said, after]): Message[] => [
    ...before,
    { role: "user", content: [{ type: "text", text: `${said}.` }] },
    ...after,
  ]);

const turnPart = fc.oneof(
  textPart,
  fc.record({ type: fc.constant("reasoning" as const), text: fc.constantFrom("", "Hm."), signedBy }, plain),
  fc.record(
    { type: fc.constant("tool-call" as const), name: toolName, id: fc.constantFrom("call", "f.x:"), signedBy },
    plain,
  ),
);

const round = fc.record({
  said: fc.array(fc.array(fc.oneof(textPart, imagePart), { maxLength: 2 }), { minLength: 1, maxLength: 2 }),
  turns: fc.array(fc.array(turnPart, { maxLength: 4 }), { maxLength: 2 }),
  result: fc.array(fc.oneof(textPart, imagePart), { maxLength: 2 }),
});

/**
 * Messages in an order that makes sense: the user speaks, the model answers or calls tools, every call has its result,
 * and it is for the model to go on. Every signature says whose it is.
 */
const sensibleMessages = fc.array(round, { minLength: 1, maxLength: 3 }).map((rounds): Message[] => {
  let made = 0;
  const messages = rounds.flatMap(({ said, turns, result }): Message[] => {
    const answers = turns.map((parts): AssistantMessage => ({
      role: "assistant",
      content: parts.map((part) => {
        if (part.type === "text") return part;
        const proof = { signature: `signed by ${part.signedBy}`, signedBy: part.signedBy };
        if (part.type === "reasoning") return { type: "reasoning", text: part.text, ...proof };
        return { type: "tool-call", callId: `${part.id}${(made += 1)}`, name: part.name, json: "", ...proof };
      }),
    }));
    const calls = answers.flatMap(({ content }) => content.filter((part) => part.type === "tool-call"));
    return [
      ...said.map((content): Message => ({ role: "user", content })),
      ...answers,
      ...calls.map(({ callId: id }): Message => ({ role: "tool", callId: id, content: result })),
    ];
  });
  const isOpen = messages.at(-1)?.role !== "assistant";
  return isOpen && made > 0 ? messages : [...messages, { role: "user", content: [{ type: "text", text: "Go on." }] }];
});

/** Any request with the given messages. */
function requestWith(messages: fc.Arbitrary<Message[]>): fc.Arbitrary<GenerationRequest> {
  return fc.record({ messages, ...settings }, { ...plain, requiredKeys: ["model", "messages"] });
}

const settings = {
  native,
  model: fc.constantFrom("m", "provider/model-1"),
  stream: fc.boolean(),
  tools: fc.array(tool, { minLength: 1, maxLength: 2 }),
  toolChoice: fc.oneof(
    fc.constantFrom("auto" as const, "none" as const, "required" as const),
    fc.record({ name: toolName }, plain),
    fc.record(
      { allowed: fc.array(toolName, { maxLength: 3 }), mode: fc.constantFrom("auto" as const, "required" as const) },
      plain,
    ),
  ),
  parallelToolCalls: fc.boolean(),
  reasoning: fc.record(
    {
      effort: fc.constantFrom("none", "minimal", "low", "medium", "high", "xhigh", "max"),
      budgetTokens: fc.constantFrom(0, 1, 1024, 3000, 30_000, 100_000),
      show: fc.boolean(),
    },
    { ...plain, requiredKeys: [] },
  ),
  stop: fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 7 }),
  maxOutputTokens: fc.constantFrom(0, 100, 1025, 10_000, 200_000),
  sampling: fc
    .record(
      {
        temperature: amount.map(Math.abs),
        topP: share,
        topK: fc.nat(),
        presencePenalty: amount,
        frequencyPenalty: amount,
        seed: fc.nat(),
      },
      { ...plain, requiredKeys: [] },
    )
    .filter((sampling) => Object.keys(sampling).length > 0),
  output: fc.oneof(
    fc.constantFrom({ type: "text" as const }, { type: "json" as const }),
    fc.record(
      {
        type: fc.constant("json-schema" as const),
        schema,
        name: fc.constantFrom("answer", "person"),
        description: text,
        strict: fc.boolean(),
      },
      { ...plain, requiredKeys: ["type", "schema"] },
    ),
  ),
  metadata: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("team", "__proto__")), fc.string(), {
    ...plain,
    minKeys: 1,
    maxKeys: 3,
  }),
  store: fc.boolean(),
  streamUsage: fc.boolean(),
  user: text,
};

/** Any request that has at least one message of a user. */
export const generationRequest: fc.Arbitrary<GenerationRequest> = requestWith(anyMessages);

/** Any request that a client could make in earnest. */
export const sensibleRequest: fc.Arbitrary<GenerationRequest> = requestWith(sensibleMessages);
