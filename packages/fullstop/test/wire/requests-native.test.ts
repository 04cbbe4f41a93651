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
    dialect: "openai-chat",
    body: {
      messages: [
        { role: "system", content: "Be kind.", name: "house" },
        { role: "user", content: "x", name: "Ann" },
        { role: "assistant", content: "Once", prefix: true },
      ],
    },
    fields: ["messages[0].name", "messages[1].name", "messages[2].prefix"],
  },
  {
    dialect: "openai-responses",
    body: { truncation: "auto", text: { verbosity: "low" }, reasoning: { effort: "low", mode: "pro" } },
    fields: ["reasoning", "text", "truncation"],
  },
  {
    dialect: "openai-responses",
    body: { tools: [{ type: "web_search" }, { type: "mcp", require_approval: "never" }], tool_choice: "required" },
    fields: ["toolChoice", "tools"],
  },
  {
    dialect: "openai-responses",
    body: { tools: [{ type: "file_search", vector_store_ids: ["v"] }], tool_choice: { type: "file_search" } },
    fields: ["tool_choice", "tools"],
  },
  {
    dialect: "openai-responses",
    body: { store: false, include: ["reasoning.encrypted_content"] },
    fields: ["include"],
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
    dialect: "anthropic-messages",
    body: {
      messages: [
        { role: "user", content: [{ type: "text", text: "x" }] },
        { role: "assistant", content: [{ type: "text", text: "y", citations: [{ type: "page_location" }] }] },
      ],
    },
    fields: ["messages[1].content[0].citations"],
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

  it.each(DIALECTS.filter(({ name }) => name.startsWith("openai")))(
    "leaves a text plain in $name where it is left out, because many servers take no list",
    ({ encode }) => {
      const marked = (text: string) => [{ type: "text", text, cache_control: EPHEMERAL }];
      const request = read({
        dialect: "anthropic-messages",
        body: { system: marked("Be kind."), messages: [{ role: "user", content: marked("Hi") }] },
        fields: [],
      });
      const { body } = encode(request);
      expect(JSON.stringify(body)).not.toContain('"text":');
      expect(JSON.stringify(body)).toContain('"content":"Hi"');
    },
  );

  it("is written as it stood also in what a tool of Gemini's shows", () => {
    const shown = { inlineData: { mimeType: "image/png", data: "aaaa", displayName: "x" } };
    const functionResponse = { id: "c", name: "f", response: { output: "x" }, parts: [shown], willContinue: false };
    const contents = [
      { role: "user", parts: [{ text: "Hi" }] },
      { role: "model", parts: [{ functionCall: { id: "c", name: "f", args: {} } }] },
      { role: "user", parts: [{ functionResponse }] },
    ];
    const request = read({ dialect: "gemini", body: { contents }, fields: [] });
    expect(dialectOf("gemini").encode(request)).toEqual({ body: { contents }, warnings: [] });
  });

  it("is left out where it says what becomes of thinking, and the model is told not to think", () => {
    const { encode } = dialectOf("anthropic-messages");
    const others = { type: "clear_tool_uses_20250919" };
    const thinking = { type: "clear_thinking_20251015", keep: "all" };
    const managed = (edits: readonly object[], effort: string) => {
      const request = read({ dialect: "anthropic-messages", body: { context_management: { edits } }, fields: [] });
      const { body, warnings } = encode({ ...request, reasoning: { effort } });
      return [body["context_management"], warnings.map(({ field }) => field)];
    };
    expect(managed([thinking, others], "high")).toEqual([{ edits: [thinking, others] }, []]);
    expect(managed([thinking, others], "none")).toEqual([{ edits: [others] }, ["context_management"]]);
    expect(managed([thinking], "none")).toEqual([undefined, ["context_management"]]);
    expect(managed([others], "none")).toEqual([{ edits: [others] }, []]);
  });

  it.each([
    {
      dialect: "anthropic-messages" as const,
      mine: { name: "f", input_schema: SCHEMA, cache_control: EPHEMERAL },
      theirs: { type: "web_search_20250305", name: "web_search" },
    },
    {
      dialect: "openai-responses" as const,
      mine: { type: "function", name: "f", parameters: SCHEMA, strict: false },
      theirs: { type: "web_search" },
    },
  ])("keeps the order of tools, because what is cached reaches to a mark: $dialect", ({ dialect, mine, theirs }) => {
    const other = { ...theirs, own: 1 };
    for (const tools of [
      [theirs, mine],
      [mine, theirs],
      [theirs, mine, mine, other],
      [theirs, other],
      [mine, mine],
    ]) {
      const request = read({ dialect, body: { tools }, fields: [] });
      const { encode } = dialectOf(dialect);
      expect(encode(request).body["tools"]).toEqual(tools);
      const [first] = request.tools ?? [];
      const others = tools.filter((tool) => tool !== mine);
      // Whoever has changed the functions in between gets all of them, and no holes.
      expect(encode({ ...request, tools: undefined }).body["tools"] ?? []).toEqual(others);
      const more = first === undefined ? [] : [first, first, first, first];
      expect(encode({ ...request, tools: more }).body["tools"]).toHaveLength(others.length + more.length);
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

  it("is asked for by the names in the body as well, each once, if they can stand in a header", () => {
    const { decode, encode } = dialectOf("anthropic-messages");
    const hello = HELLO["anthropic-messages"];
    const { request } = decode({ ...hello, betas: ["files", "mcp-client"] }, { betas: ["context-1m", "files"] });
    expect(encode(request).headers).toEqual({ "anthropic-beta": "context-1m,files,mcp-client" });
    for (const name of ["a\r\nx-api-key: k", "a,b", "ü", "", 5]) {
      expect(() => decode({ ...hello, betas: [name] }, {})).toThrow("betas[0] must be a");
    }
  });

  it.each([
    { type: "apply_patch" },
    { type: "computer_use_preview" },
    { type: "shell" },
    { type: "mcp", server_label: "s" },
    { type: "tool_search", execution: "client" },
  ])("is left out where the caller would have to run it and be told of it as of a function: $type", (tool) => {
    const { decode, encode } = dialectOf("openai-responses");
    const body = { ...HELLO["openai-responses"], tools: [tool], tool_choice: { type: tool.type } };
    const { request, warnings } = decode(body);
    expect(warnings.map(({ field }) => field)).toEqual(["tools[0]", "tool_choice"]);
    expect(Object.keys(encode(request).body)).toEqual(["model", "input"]);
  });

  it("is handed on where the provider runs what the caller could run", () => {
    const tools = [{ type: "shell", environment: { type: "container_auto" } }];
    const request = read({ dialect: "openai-responses", body: { tools }, fields: [] });
    expect(dialectOf("openai-responses").encode(request).body["tools"]).toEqual(tools);
  });
});

describe("what names other models than the one that is asked is left out, because a caller may not be entitled to them", () => {
  const advisor = { type: "advisor_20260301", name: "advisor", model: "dear" };
  it.each<{ dialect: DialectName; body: object; fields: readonly string[] }>([
    { dialect: "openai-chat", body: { models: ["dear"], preset: "dear" }, fields: ["models", "preset"] },
    {
      dialect: "openai-chat",
      body: { fallback_models: ["dear"], context_window_fallbacks: [{ m: ["dear"] }], model_list: [{ x: "dear" }] },
      fields: ["fallback_models", "context_window_fallbacks", "model_list"],
    },
    { dialect: "openai-chat", body: { plugins: [{ id: "fusion", model: "dear" }] }, fields: ["plugins[0]"] },
    { dialect: "openai-responses", body: { models: ["dear"], fallbacks: ["dear"] }, fields: ["models", "fallbacks"] },
    {
      dialect: "openai-responses",
      body: { tools: [{ type: "image_generation", model: "dear" }] },
      fields: ["tools[0]"],
    },
    {
      dialect: "anthropic-messages",
      body: { tools: [advisor], fallbacks: [{ model: "dear" }] },
      fields: ["tools[0]", "fallbacks"],
    },
    { dialect: "gemini", body: { model: "models/dear" }, fields: ["model"] },
    {
      dialect: "gemini",
      body: { generationConfig: { routingConfig: { manualMode: { modelName: "dear" } } } },
      fields: ["generationConfig.routingConfig"],
    },
    {
      dialect: "gemini",
      body: { generation_config: { routing_config: { manual_mode: { model_name: "dear" } } } },
      fields: ["generation_config.routing_config"],
    },
  ])("$dialect: $body", ({ dialect, body, fields }) => {
    const { decode, encode } = dialectOf(dialect);
    const { request, warnings } = decode({ ...HELLO[dialect], ...body }, { model: "m" });
    expect(warnings.map(({ field }) => field)).toEqual(fields);
    expect(JSON.stringify(encode(request).body)).not.toContain("dear");
  });
});

it("a field in both spellings is read in the first, and the second does not get past that", () => {
  const { decode, encode } = dialectOf("gemini");
  const { request, warnings } = decode(
    {
      ...HELLO.gemini,
      generationConfig: { maxOutputTokens: 5, stopSequences: [], stop_sequences: ["b"], topK: null, top_k: 3 },
      generation_config: { candidateCount: 8 },
    },
    { model: "m" },
  );
  expect(warnings.map(({ field }) => field)).toEqual(["generation_config", "generationConfig.stop_sequences"]);
  expect(encode(request).body["generationConfig"]).toEqual({ maxOutputTokens: 5, topK: 3 });
});
