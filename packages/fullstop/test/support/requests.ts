import fc from "fast-check";
import type { GenerationRequest, ImagePart, Message, ToolDefinition } from "../../src/request.ts";
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
  { name: "openai-chat", decode: decodeOpenaiChatRequest, encode: encodeOpenaiChatRequest },
  { name: "openai-responses", decode: decodeOpenaiResponsesRequest, encode: encodeOpenaiResponsesRequest },
  { name: "anthropic-messages", decode: decodeAnthropicMessagesRequest, encode: encodeAnthropicMessagesRequest },
  { name: "gemini", decode: decodeGeminiRequest, encode: encodeGeminiRequest },
];

/** A body as it arrives on the other side. */
export function overTheWire(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body)) as unknown;
}

const plain = { noNullPrototype: true } as const;
const text = fc.string();
const toolName = fc.constantFrom("search", "read_file", "run");
const callId = fc.constantFrom("call_a", "call_b", "toolu_1", "z");
const signature = fc.base64String({ minLength: 4 });
const schema = fc.constantFrom(
  { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  { type: "object", properties: {}, additionalProperties: false },
);

const textPart = fc.record({ type: fc.constant("text" as const), text }, plain);

const address = fc.record({ type: fc.constant("url" as const), url: fc.constant("https://example.com/image") }, plain);
const file = fc.record({ type: fc.constant("file" as const), id: fc.constantFrom("file-1", "files/x") }, plain);
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
  fc.record(
    { type: fc.constant("reasoning" as const), text: fc.string({ minLength: 1 }), signature },
    { ...plain, requiredKeys: ["type", "text"] },
  ),
  fc.record(
    { type: fc.constant("reasoning" as const), text: fc.constant(""), signature, redacted: fc.constant(true) },
    { ...plain, requiredKeys: ["type", "text", "signature"] },
  ),
);

const toolCallPart = fc.record(
  {
    type: fc.constant("tool-call" as const),
    callId,
    name: toolName,
    json: fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
    signature,
  },
  { ...plain, requiredKeys: ["type", "callId", "name", "json"] },
);

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant("system" as const), content: fc.array(textPart, { maxLength: 2 }) }, plain),
  fc.record(
    { role: fc.constant("user" as const), content: fc.array(fc.oneof(textPart, imagePart), { maxLength: 3 }) },
    plain,
  ),
  fc.record(
    {
      role: fc.constant("assistant" as const),
      content: fc.array(fc.oneof(textPart, reasoningPart, toolCallPart), { maxLength: 4 }),
    },
    plain,
  ),
  fc.record(
    {
      role: fc.constant("tool" as const),
      callId,
      name: toolName,
      content: fc.array(fc.oneof(textPart, imagePart), { maxLength: 3 }),
      isError: fc.boolean(),
    },
    { ...plain, requiredKeys: ["role", "callId", "content"] },
  ),
);

const tool: fc.Arbitrary<ToolDefinition> = fc.record(
  { name: toolName, description: text, parameters: schema, strict: fc.boolean() },
  { ...plain, requiredKeys: ["name"] },
);

const amount = fc.integer({ min: -16, max: 16 }).map((eighths) => eighths / 8);

/** Any request that has at least one message of a user. */
export const generationRequest: fc.Arbitrary<GenerationRequest> = fc.record(
  {
    model: fc.constantFrom("m", "provider/model-1"),
    messages: fc
      .tuple(fc.array(message, { maxLength: 4 }), fc.string({ minLength: 1 }), fc.array(message, { maxLength: 4 }))
      .map(([before, said, after]): Message[] => [
        ...before,
        { role: "user", content: [{ type: "text", text: said }] },
        ...after,
      ]),
    stream: fc.boolean(),
    tools: fc.array(tool, { minLength: 1, maxLength: 2 }),
    toolChoice: fc.oneof(
      fc.constantFrom("auto" as const, "none" as const, "required" as const),
      fc.record({ name: toolName }, plain),
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
          temperature: amount,
          topP: amount,
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
    user: text,
  },
  { ...plain, requiredKeys: ["model", "messages"] },
);
