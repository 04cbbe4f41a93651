import { describe, expect, it } from "vitest";
import type { GenerationRequest } from "../../src/request.ts";
import { DIALECTS } from "../support/requests.ts";
import type { Dialect, DialectName } from "../support/requests.ts";

const EPHEMERAL = { type: "ephemeral" };
const SCHEMA = { type: "object", properties: {} };

/** What only one dialect has, as it stands in its requests, and where other dialects say that they leave it out. */
interface Own {
  readonly dialect: DialectName;
  readonly body: object;
  readonly fields: readonly string[];
}

const OWN: readonly Own[] = [
  { dialect: "openai-chat", body: { logit_bias: { 50256: -100 } }, fields: ["logit_bias"] },
  {
    dialect: "openai-chat",
    body: { service_tier: "flex", prompt_cache_key: "k", chat_template_kwargs: { enable_thinking: false } },
    fields: ["chat_template_kwargs", "prompt_cache_key", "service_tier"],
  },
  {
    dialect: "openai-chat",
    body: {
      messages: [
        {
          role: "user",
          content: [
            { type: "file", file: { file_id: "f" } },
            { type: "text", text: "x", cache_control: EPHEMERAL },
            { type: "image_url", image_url: { url: "data:image/png;base64,aaaa", own: 1 } },
          ],
        },
      ],
    },
    fields: ["messages[0].content[0]", "messages[0].content[1].cache_control", "messages[0].content[2].image_url"],
  },
  {
    dialect: "openai-responses",
    body: { truncation: "auto", text: { verbosity: "low" }, reasoning: { effort: "low", mode: "pro" } },
    fields: ["reasoning", "text", "truncation"],
  },
  {
    dialect: "openai-responses",
    body: { tools: [{ type: "web_search" }, { type: "mcp", server_label: "s" }], tool_choice: "required" },
    fields: ["toolChoice", "tools"],
  },
  {
    dialect: "openai-responses",
    body: {
      input: [
        {
          type: "message",
          role: "user",
          content: [
            { type: "input_file", file_id: "f" },
            { type: "input_text", text: "x" },
          ],
        },
      ],
    },
    fields: ["messages[0].content[0]"],
  },
  {
    dialect: "anthropic-messages",
    body: { cache_control: EPHEMERAL, container: "c", service_tier: "standard_only", metadata: { other: "x" } },
    fields: ["cache_control", "container", "metadata", "service_tier"],
  },
  {
    dialect: "anthropic-messages",
    body: {
      system: [{ type: "text", text: "x", cache_control: EPHEMERAL }],
      tools: [
        { name: "f", input_schema: SCHEMA, cache_control: EPHEMERAL },
        { type: "web_search_20250305", name: "web_search" },
      ],
    },
    fields: ["messages[0].content[0].cache_control", "tools", "tools[0].cache_control"],
  },
  {
    dialect: "anthropic-messages",
    body: {
      messages: [
        { role: "user", content: [{ type: "document", source: { type: "text", data: "" }, cache_control: EPHEMERAL }] },
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {}, cache_control: EPHEMERAL }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", cache_control: EPHEMERAL }] },
      ],
    },
    fields: ["messages[0].content[0]", "messages[1].content[0].cache_control", "messages[2].cache_control"],
  },
  {
    dialect: "gemini",
    body: { safetySettings: [{ category: "C", threshold: "OFF" }], generationConfig: { mediaResolution: "HIGH" } },
    fields: ["generationConfig", "safetySettings"],
  },
  {
    dialect: "gemini",
    body: {
      tools: [{ functionDeclarations: [{ name: "f", behavior: "BLOCKING" }] }, { googleSearch: {} }],
      toolConfig: { retrievalConfig: { languageCode: "en" } },
    },
    fields: ["toolConfig", "tools", "tools[0].behavior"],
  },
  {
    dialect: "gemini",
    body: {
      contents: [
        {
          role: "user",
          parts: [
            { inlineData: { mimeType: "audio/wav", data: "aa", displayName: "x" } },
            { text: "y", partMetadata: { a: 1 } },
          ],
        },
      ],
    },
    fields: ["messages[0].content[0]", "messages[0].content[1].partMetadata"],
  },
];

const HELLO: Readonly<Record<DialectName, object>> = {
  "openai-chat": { model: "m", messages: [{ role: "user", content: "Hi" }] },
  "openai-responses": { model: "m", input: [{ type: "message", role: "user", content: "Hi" }] },
  "anthropic-messages": {
    model: "m",
    max_tokens: 9,
    messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  },
  gemini: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
};

function dialectOf(name: DialectName): Dialect {
  return DIALECTS.find((each) => each.name === name)!;
}

function read({ dialect, body }: Own): GenerationRequest {
  const { request, warnings } = dialectOf(dialect).decode({ ...HELLO[dialect], ...body }, { model: "m" });
  expect(warnings).toEqual([]);
  return request;
}

describe("what only one dialect has", () => {
  it.each(OWN)("is written as it stood where $dialect is spoken again: $body", (own) => {
    const { body, warnings } = dialectOf(own.dialect).encode(read(own));
    expect(body).toMatchObject(own.body);
    expect(warnings).toEqual([]);
  });

  it.each(OWN)("is left out elsewhere, with a warning for each: $dialect, $body", (own) => {
    const request = read(own);
    for (const { name, encode } of DIALECTS.filter(({ name: other }) => other !== own.dialect)) {
      const { body, warnings } = encode({ ...request, maxOutputTokens: 9 });
      expect([name, warnings.map(({ field }) => field).toSorted()]).toEqual([name, own.fields]);
      expect(JSON.stringify(body)).not.toMatch(/cache_control|web_search|logit_bias|safetySettings|document|file_id/u);
    }
  });

  it("does not replace what a request says itself", () => {
    const native = { format: "openai-chat", fields: { temperature: 2, stop: ["theirs"], other: 1 } };
    const request: GenerationRequest = { ...read(OWN[0]!), sampling: { temperature: 1 }, stop: ["ours"], native };
    const { body } = dialectOf("openai-chat").encode(request);
    expect(body).toMatchObject({ temperature: 1, stop: ["ours", "theirs"], other: 1 });
  });

  it.each([
    { dialect: "openai-chat", body: { tool_choice: { type: "function", function: { name: "f" }, own: 1 } } },
    { dialect: "openai-responses", body: { tool_choice: { type: "function", name: "f", own: 1 } } },
    { dialect: "anthropic-messages", body: { tool_choice: { type: "tool", name: "f", own: 1 } } },
    { dialect: "gemini", body: { toolConfig: { functionCallingConfig: { mode: "ANY", own: 1 } } } },
  ] as const)("is not written without what it is part of: $body", ({ dialect, body }) => {
    const { decode, encode } = dialectOf(dialect);
    const { request, warnings } = decode({ ...HELLO[dialect], ...body }, { model: "m" });
    expect(warnings).toMatchObject([{ field: expect.stringMatching(/\.own$/u) as string }]);
    // Without any tools the choice is left out.
    expect(JSON.stringify(encode(request).body)).not.toMatch(/own|tool_?choice/iu);
  });

  it("is asked for by name at Anthropic, which keeps the names in a header", () => {
    const { decode, encode } = dialectOf("anthropic-messages");
    const { request } = decode(HELLO["anthropic-messages"], { betas: ["context-1m", "mcp-client"] });
    const { body, headers } = encode(request);
    expect(headers).toEqual({ "anthropic-beta": "context-1m,mcp-client" });
    expect(body).not.toHaveProperty("betas");
    const elsewhere = dialectOf("openai-chat").encode(request);
    expect(elsewhere.warnings.map(({ field }) => field)).toEqual(["betas"]);
    expect(elsewhere.headers).toBeUndefined();
  });
});
