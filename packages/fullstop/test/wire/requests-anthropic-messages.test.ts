import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages";
import { describe, expect, it } from "vitest";
import type { GenerationRequest, Message, ReasoningSettings } from "../../src/request.ts";
import { decodeAnthropicMessagesRequest as decode } from "../../src/wire/anthropic-messages/decode-request.ts";
import { encodeAnthropicMessagesRequest as encode } from "../../src/wire/anthropic-messages/encode-request.ts";

interface Exact {
  readonly what: string;
  readonly body: MessageCreateParams;
  readonly request: GenerationRequest;
}

const hello: GenerationRequest = {
  model: "m",
  messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  maxOutputTokens: 2000,
};
const helloBody = {
  model: "m",
  max_tokens: 2000,
  messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }],
};
const schema = { type: "object" as const, properties: { city: { type: "string" } } };

const exact: readonly Exact[] = [
  { what: "the shortest request", body: helloBody, request: hello },
  {
    what: "a whole conversation",
    body: {
      ...helloBody,
      system: [{ type: "text", text: "Be brief." }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image", source: { type: "url", url: "https://example.com/cat.png" } },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
            { type: "image", source: { type: "file", file_id: "file_1" } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "sig" },
            { type: "thinking", thinking: "", signature: "unseen" },
            { type: "redacted_thinking", data: "withheld" },
            { type: "text", text: "Let me look." },
            { type: "tool_use", id: "toolu_1", name: "look", input: { at: 1 } },
            { type: "tool_use", id: "toolu_2", name: "look", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "a cat" }] },
            { type: "tool_result", tool_use_id: "toolu_2", is_error: true },
            { type: "text", text: "Well?" },
          ],
        },
      ],
    },
    request: {
      ...hello,
      messages: [
        { role: "system", content: [{ type: "text", text: "Be brief." }] },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image", source: { type: "url", url: "https://example.com/cat.png" } },
            { type: "image", source: { type: "data", mediaType: "image/png", data: "AAAA" } },
            { type: "image", source: { type: "file", id: "file_1" } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Hm.", signature: "sig" },
            { type: "reasoning", text: "", signature: "unseen" },
            { type: "reasoning", text: "", signature: "withheld", redacted: true },
            { type: "text", text: "Let me look." },
            { type: "tool-call", callId: "toolu_1", name: "look", json: '{"at":1}' },
            { type: "tool-call", callId: "toolu_2", name: "look", json: "{}" },
          ],
        },
        { role: "tool", callId: "toolu_1", content: [{ type: "text", text: "a cat" }] },
        { role: "tool", callId: "toolu_2", content: [], isError: true },
        { role: "user", content: [{ type: "text", text: "Well?" }] },
      ],
    },
  },
  {
    what: "every setting",
    body: {
      ...helloBody,
      stream: true,
      tools: [{ name: "look", description: "Looks", input_schema: schema, strict: true }],
      tool_choice: { type: "tool", name: "look", disable_parallel_tool_use: true },
      thinking: { type: "enabled", budget_tokens: 1500, display: "summarized" },
      output_config: { effort: "high", format: { type: "json_schema", schema } },
      stop_sequences: ["END", "\n\n"],
      metadata: { user_id: "u-1" },
    },
    request: {
      ...hello,
      stream: true,
      tools: [{ name: "look", description: "Looks", parameters: schema, strict: true }],
      toolChoice: { name: "look" },
      parallelToolCalls: false,
      reasoning: { effort: "high", budgetTokens: 1500, show: true },
      stop: ["END", "\n\n"],
      output: { type: "json-schema", schema },
      user: "u-1",
    },
  },
];

const fieldsOf = (warnings: readonly { readonly field: string }[]): string[] =>
  warnings.map(({ field }) => field).sort();

describe("a Messages request", () => {
  it.each(exact)("reads and writes $what", ({ body, request }) => {
    expect(decode(body)).toEqual({ request, warnings: [] });
    expect(encode(request)).toEqual({ body, warnings: [] });
  });

  it("reads and writes sampling settings, which older models take", () => {
    const request = { ...hello, sampling: { temperature: 0.5, topP: 0.9, topK: 40 } };
    const body = { ...helloBody, temperature: 0.5, top_p: 0.9, top_k: 40 };
    expect(decode(body)).toEqual({ request, warnings: [] });
    expect(encode(request)).toEqual({ body, warnings: [] });
  });

  it("reads plain strings, and instructions in the middle of the conversation", () => {
    const body = {
      ...helloBody,
      system: "Be brief.",
      messages: [
        { role: "user", content: "Hi" },
        { role: "system", content: "Be kind." },
        { role: "assistant", content: "Hello" },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "done" }] },
      ],
    };
    const text = (value: string) => [{ type: "text" as const, text: value }];
    const messages: Message[] = [
      { role: "system", content: text("Be brief.") },
      { role: "user", content: text("Hi") },
      { role: "system", content: text("Be kind.") },
      { role: "assistant", content: text("Hello") },
      { role: "tool", callId: "t", content: text("done") },
    ];
    expect(decode(body)).toEqual({ request: { ...hello, messages }, warnings: [] });
  });

  it("makes turns of neighbours, puts instructions first and leaves empty messages out", () => {
    const text = (value: string) => ({ type: "text" as const, text: value });
    const { body, warnings } = encode({
      ...hello,
      messages: [
        { role: "user", content: [text("a")] },
        { role: "system", content: [text("Be brief.")] },
        { role: "user", content: [text(""), text("b")] },
        { role: "assistant", content: [{ type: "reasoning", text: "unsigned" }] },
        { role: "user", content: [] },
        { role: "tool", callId: "t", name: "look", content: [text("c")] },
      ],
    });
    expect(body).toEqual({
      model: "m",
      max_tokens: 2000,
      system: [text("Be brief.")],
      messages: [
        {
          role: "user",
          content: [text("a"), text("b"), { type: "tool_result", tool_use_id: "t", content: [text("c")] }],
        },
      ],
    });
    expect(fieldsOf(warnings)).toEqual([
      "messages[1]",
      "messages[2].content[0]",
      "messages[3].content[0]",
      "messages[4]",
      "messages[5].name",
    ]);
  });

  it("makes instructions that stand alone the user's words", () => {
    const { body, warnings } = encode({
      ...hello,
      messages: [{ role: "system", content: [{ type: "text", text: "Hi" }] }],
    });
    expect(body).toEqual(helloBody);
    expect(fieldsOf(warnings)).toEqual(["messages"]);
  });

  it.each(["[1]", "5", '{"half":', "null"])("sends no arguments where they are the text %s", (json) => {
    const { body, warnings } = encode({
      ...hello,
      messages: [{ role: "assistant", content: [{ type: "tool-call", callId: "t", name: "f", json }] }],
    });
    expect(body["messages"]).toEqual([
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] },
    ]);
    expect(fieldsOf(warnings)).toEqual(["messages[0].content[0].json"]);
  });

  it.each<{ reasoning: ReasoningSettings; limit?: number; body: object; fields: string[] }>([
    { reasoning: {}, limit: 9, body: { max_tokens: 9, thinking: { type: "adaptive" } }, fields: [] },
    {
      reasoning: { effort: "xhigh", show: false },
      limit: 9,
      body: { max_tokens: 9, thinking: { type: "adaptive", display: "omitted" }, output_config: { effort: "xhigh" } },
      fields: [],
    },
    {
      reasoning: { effort: "minimal" },
      limit: 9,
      body: { max_tokens: 9, thinking: { type: "adaptive" }, output_config: { effort: "low" } },
      fields: ["reasoning.effort"],
    },
    { reasoning: { effort: "none" }, limit: 9, body: { max_tokens: 9, thinking: { type: "disabled" } }, fields: [] },
    { reasoning: { budgetTokens: 0 }, limit: 9, body: { max_tokens: 9, thinking: { type: "disabled" } }, fields: [] },
    {
      reasoning: { budgetTokens: 8000 },
      body: { max_tokens: 12_096, thinking: { type: "enabled", budget_tokens: 8000 } },
      fields: ["maxOutputTokens"],
    },
    {
      reasoning: { budgetTokens: 10 },
      limit: 4000,
      body: { max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 1024 } },
      fields: ["reasoning.budgetTokens"],
    },
    {
      reasoning: { budgetTokens: 8000 },
      limit: 4000,
      body: { max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 3999 } },
      fields: ["reasoning.budgetTokens"],
    },
    {
      reasoning: { budgetTokens: 8000 },
      limit: 1024,
      body: { max_tokens: 1024, thinking: { type: "disabled" } },
      fields: ["reasoning.budgetTokens"],
    },
  ])("writes the thinking settings $reasoning under the limit $limit", ({ reasoning, limit, body, fields }) => {
    const { messages, model } = hello;
    const written = encode({ model, messages, reasoning, maxOutputTokens: limit });
    expect(written.body).toEqual({ model, messages: helloBody.messages, ...body });
    expect(fieldsOf(written.warnings)).toEqual(fields);
  });

  it.each<{ body: object; reasoning: ReasoningSettings | undefined; fields: string[] }>([
    { body: {}, reasoning: undefined, fields: [] },
    { body: { thinking: { type: "adaptive" } }, reasoning: {}, fields: [] },
    { body: { thinking: { type: "disabled" } }, reasoning: { budgetTokens: 0 }, fields: [] },
    { body: { output_config: { effort: "max" } }, reasoning: { effort: "max" }, fields: [] },
    { body: { thinking: { type: "between_tools" } }, reasoning: {}, fields: ["thinking"] },
  ])("reads the thinking settings of $body", ({ body, reasoning, fields }) => {
    const { request, warnings } = decode({ ...helloBody, ...body });
    expect(request.reasoning).toEqual(reasoning);
    expect(fieldsOf(warnings)).toEqual(fields);
  });

  it.each([
    {
      body: { cache_control: { type: "ephemeral" }, container: "c", service_tier: "standard_only" },
      fields: ["cache_control", "container", "service_tier"],
    },
    { body: { service_tier: "auto", speed: null, context_management: null }, fields: [] },
    { body: { tools: [{ type: "web_search_20250305", name: "web_search" }] }, fields: ["tools[0]"] },
    {
      body: { tools: [{ name: "f", input_schema: schema, cache_control: { type: "ephemeral" } }] },
      fields: ["tools[0].cache_control"],
    },
    {
      body: { system: [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }] },
      fields: ["system[0].cache_control"],
    },
    {
      body: { messages: [{ role: "user", content: [{ type: "document", source: { type: "text", data: "" } }] }] },
      fields: ["messages[0].content[0]"],
    },
    {
      body: { messages: [{ role: "user", content: [{ type: "image", source: { type: "video", x: 1 } }] }] },
      fields: ["messages[0].content[0].source"],
    },
    {
      body: {
        messages: [
          {
            role: "assistant",
            content: [
              { type: "server_tool_use", id: "s", name: "web_search", input: {} },
              { type: "tool_use", id: "t", name: "f", input: {}, caller: { type: "direct" } },
              { type: "tool_use", id: "t", name: "f", input: {}, caller: { type: "program", tool_id: "p" } },
            ],
          },
        ],
      },
      fields: ["messages[0].content[2].caller"],
    },
    { body: { metadata: { user_id: "u", other: "x" } }, fields: ["metadata.other"] },
  ])("warns once for each thing it leaves out of $body", ({ body, fields }) => {
    expect(fieldsOf(decode({ ...helloBody, ...body }).warnings)).toEqual(fields);
  });

  it.each([
    [{ model: "m", messages: helloBody.messages }, "max_tokens must be a whole number of at least 0, got undefined"],
    [{ ...helloBody, messages: [] }, "messages must not be empty, got []"],
    [
      { ...helloBody, messages: [{ role: "tool", content: "x" }] },
      'messages[0].role must be one of user, assistant, system, got "tool"',
    ],
    [
      { ...helloBody, messages: [{ role: "user", content: [{ type: "image", source: { type: "url", url: 5 } }] }] },
      "messages[0].content[0].source.url must be a string that is not empty, got 5",
    ],
    [
      { ...helloBody, messages: [{ role: "user", content: [{ type: "tool_result" }] }] },
      "messages[0].content[0].tool_use_id must be a string that is not empty, got undefined",
    ],
    [{ ...helloBody, stop_sequences: [""] }, 'stop_sequences[0] must be a string that is not empty, got ""'],
    [{ ...helloBody, stop_sequences: "END" }, 'stop_sequences must be a list, got "END"'],
    [
      { ...helloBody, thinking: { type: "enabled" } },
      "thinking.budget_tokens must be a whole number of at least 0, got undefined",
    ],
    [{ ...helloBody, tools: [{ name: "f" }] }, "tools[0].input_schema must be an object, got undefined"],
    [
      { ...helloBody, tool_choice: { type: "required" } },
      'tool_choice.type must be one of auto, any, tool, none, got "required"',
    ],
    [{ ...helloBody, system: 5 }, "system must be a string or a list of parts, got 5"],
  ])("refuses %j: %s", (body, message) => {
    expect(() => decode(body)).toThrow(message);
  });
});
