import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages";
import { describe, expect, it } from "vitest";
import type { AssistantMessage, GenerationRequest, Message, ReasoningSettings, TextPart } from "../../src/request.ts";
import { decodeAnthropicMessagesRequest as decode } from "../../src/wire/anthropic-messages/decode-request.ts";
import { encodeAnthropicMessagesRequest as encode } from "../../src/wire/anthropic-messages/encode-request.ts";
import { WIRE_FORMATS } from "../../src/wire/index.ts";

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
const schema = { type: "object" as const, properties: { city: { type: "string" } }, additionalProperties: false };
const signedBy = "anthropic-messages";

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
            { type: "reasoning", text: "Hm.", signature: "sig", signedBy },
            { type: "reasoning", text: "", signature: "unseen", signedBy },
            { type: "reasoning", text: "", signature: "withheld", signedBy, redacted: true },
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
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      thinking: { type: "enabled", budget_tokens: 1500, display: "summarized" },
      output_config: { effort: "high", format: { type: "json_schema", schema } },
      stop_sequences: ["END", "\n\nHuman:"],
      metadata: { user_id: "u-1" },
    },
    request: {
      ...hello,
      stream: true,
      tools: [{ name: "look", description: "Looks", parameters: schema, strict: true }],
      toolChoice: "auto",
      parallelToolCalls: false,
      reasoning: { effort: "high", budgetTokens: 1500, show: true },
      stop: ["END", "\n\nHuman:"],
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

  it("reads the shape of the answer also under its old name, and writes it under the new one", () => {
    const format = { type: "json_schema", schema };
    const { request, warnings } = decode({ ...helloBody, output_format: format });
    expect({ output: request.output, warnings }).toEqual({ output: { type: "json-schema", schema }, warnings: [] });
    const { body } = encode(request);
    expect(body).toEqual(encode(decode({ ...helloBody, output_config: { format } }).request).body);
    expect(body).not.toHaveProperty("output_format");
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
      { role: "system", content: text("Be kind."), native: { format: "anthropic-messages", fields: {} } },
      { role: "assistant", content: text("Hello") },
      { role: "tool", callId: "t", content: text("done") },
    ];
    expect(decode(body)).toEqual({ request: { ...hello, messages }, warnings: [] });
  });

  it("leaves its own instructions where they stand in the conversation", () => {
    const said = (role: string, text: string) => ({ role, content: [{ type: "text", text }] });
    const body = {
      ...helloBody,
      system: [{ type: "text", text: "Be brief." }],
      thinking: { type: "enabled", budget_tokens: 1024, display: "summarized" },
      messages: [
        said("user", "Hi"),
        said("assistant", "Hello"),
        said("user", "Well?"),
        { ...said("system", "Be kind."), clear_at: "next_user_message" },
        said("system", "Be quick."),
        { role: "system", output_config: { effort: "low" } },
      ],
    };
    const { request, warnings } = decode(body);
    expect(warnings).toEqual([]);
    expect(encode(request)).toEqual({ body, warnings: [] });
    const elsewhere = WIRE_FORMATS["openai-chat"].encodeRequest(request);
    expect(elsewhere.body["messages"]).toMatchObject([
      { role: "system", content: "Be brief." },
      { role: "user" },
      { role: "assistant" },
      { role: "user" },
      { role: "system", content: "Be kind." },
      { role: "system", content: "Be quick." },
      {},
    ]);
    expect(fieldsOf(elsewhere.warnings)).toEqual(
      expect.arrayContaining(["messages[4].clear_at", "messages[6].output_config"]),
    );
  });

  it("puts its own instructions before the conversation where no user has said anything before them", () => {
    const text = (value: string) => ({ type: "text", text: value });
    const { request } = decode({
      ...helloBody,
      system: "Be brief.",
      messages: [
        { role: "system", content: "Be kind.", clear_at: "next_user_message" },
        { role: "user", content: " " },
        { role: "system", content: [{ ...text("Be fair."), cache_control: { type: "ephemeral" } }] },
        { role: "user", content: "Hi" },
        { role: "system", content: "Be quick." },
      ],
    });
    const { body, warnings } = encode(request);
    expect(body).toEqual({
      ...helloBody,
      system: [text("Be brief."), text("Be kind."), { ...text("Be fair."), cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: [text("Hi")] },
        { role: "system", content: [text("Be quick.")] },
      ],
    });
    expect(fieldsOf(warnings)).toEqual(["messages[1].clear_at", "messages[2].content[0]", "messages[3]"]);
  });

  it("makes its own instructions the user's words where nothing else is said", () => {
    const { request } = decode({ ...helloBody, messages: [{ role: "system", content: "Hi" }] });
    const { body, warnings } = encode(request);
    expect(body).toEqual(helloBody);
    expect(fieldsOf(warnings)).toEqual(["messages"]);
  });

  it("keeps a tool of the provider's own that waits for its result where instructions follow the paused turn", () => {
    const search = (id: string) => ({ type: "server_tool_use", id, name: "web_search", input: { query: "x" } });
    const instructions = { role: "system", content: [{ type: "text", text: "Be quick." }] };
    const messages = [
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: [{ type: "text", text: "Well" }, search("s1")] },
      instructions,
    ];
    const paused = { ...helloBody, messages };
    expect(encode(decode(paused).request)).toEqual({ body: paused, warnings: [] });
    const over = { ...helloBody, messages: [...messages, { role: "user", content: "And?" }] };
    const { body, warnings } = encode(decode(over).request);
    expect(JSON.stringify(body)).not.toContain("server_tool_use");
    expect(fieldsOf(warnings)).toEqual(["messages"]);
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
          content: [{ type: "tool_result", tool_use_id: "t", content: [text("c")] }, text("a"), text("b")],
        },
      ],
    });
    expect(fieldsOf(warnings)).toEqual([
      "messages[1]",
      "messages[2].content[0]",
      "messages[3].content[0]",
      "messages[4]",
      "messages[5]",
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

  it.each<{ what: string; part: Partial<GenerationRequest>; body: object; fields: string[] }>([
    {
      what: "leaves out how to choose tokens where the model thinks",
      part: { reasoning: { effort: "high" }, sampling: { temperature: 0.2, topP: 0.5, topK: 9 } },
      body: { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
      fields: ["sampling.temperature", "sampling.topK", "sampling.topP"],
    },
    {
      what: "keeps what a model that thinks takes",
      part: { reasoning: {}, sampling: { temperature: 1, topP: 0.95 } },
      body: { thinking: { type: "adaptive" }, temperature: 1, top_p: 0.95 },
      fields: [],
    },
    {
      what: "keeps temperatures within what there is",
      part: { sampling: { temperature: 1.5 } },
      body: { temperature: 1 },
      fields: ["sampling.temperature"],
    },
    {
      what: "has a model that has to call a tool not think",
      part: { reasoning: { effort: "high" }, tools: [{ name: "look", parameters: schema }], toolChoice: "required" },
      body: {
        thinking: { type: "disabled" },
        output_config: { effort: "high" },
        tools: [{ name: "look", input_schema: schema }],
        tool_choice: { type: "any" },
      },
      fields: ["reasoning"],
    },
    {
      what: "lowers an effort that is refused where the model must not think",
      part: { reasoning: { effort: "xhigh" }, tools: [{ name: "look", parameters: schema }], toolChoice: "required" },
      body: {
        thinking: { type: "disabled" },
        output_config: { effort: "high" },
        tools: [{ name: "look", input_schema: schema }],
        tool_choice: { type: "any" },
      },
      fields: ["reasoning", "reasoning.effort"],
    },
    {
      what: "leaves out stop strings of white space",
      part: { stop: ["\n", "END", " \t"] },
      body: { stop_sequences: ["END"] },
      fields: ["stop[0]", "stop[2]"],
    },
    {
      what: "closes the objects of a schema that the model is held to",
      part: {
        output: {
          type: "json-schema",
          name: "place",
          strict: true,
          schema: {
            type: "object",
            properties: {
              a: { type: ["object", "null"], additionalProperties: true },
              b: { anyOf: [{ type: "object" }] },
            },
            $defs: { c: { type: "object", additionalProperties: false } },
          },
        },
      },
      body: {
        output_config: {
          format: {
            type: "json_schema",
            schema: {
              type: "object",
              properties: {
                a: { type: ["object", "null"], additionalProperties: false },
                b: { anyOf: [{ type: "object", additionalProperties: false }] },
              },
              $defs: { c: { type: "object", additionalProperties: false } },
              additionalProperties: false,
            },
          },
        },
      },
      fields: ["output.schema"],
    },
    {
      what: "describes bounds that the provider does not look after",
      part: {
        output: {
          type: "json-schema",
          schema: {
            ...schema,
            properties: {
              minimum: { type: "integer", minimum: 1, maximum: 9 },
              many: { type: "array", minItems: 1, maxItems: 3, description: "All of them." },
            },
          },
        },
      },
      body: {
        output_config: {
          format: {
            type: "json_schema",
            schema: {
              ...schema,
              properties: {
                minimum: { type: "integer", description: "minimum: 1, maximum: 9" },
                many: { type: "array", minItems: 1, description: "All of them.\n\nmaxItems: 3" },
              },
            },
          },
        },
      },
      fields: ["output.schema"],
    },
    {
      what: "closes the parameters of a strict tool only",
      part: {
        tools: [
          { name: "look", parameters: { type: "object" }, strict: true },
          { name: "wait", parameters: { type: "object" } },
        ],
      },
      body: {
        tools: [
          { name: "look", input_schema: { type: "object", additionalProperties: false }, strict: true },
          { name: "wait", input_schema: { type: "object" } },
        ],
      },
      fields: ["tools[0].parameters"],
    },
    { what: "says that nothing is kept only where it should be", part: { store: true }, body: {}, fields: ["store"] },
    { what: "keeps nothing without being told", part: { store: false }, body: {}, fields: [] },
    {
      what: "tells its counts without being asked",
      part: { stream: true, streamUsage: false },
      body: { stream: true },
      fields: [],
    },
  ])("$what", ({ part, body, fields }) => {
    const written = encode({ ...hello, ...part });
    expect(written.body).toEqual({ ...helloBody, ...body });
    expect(fieldsOf(written.warnings)).toEqual(fields);
  });

  it("leaves out texts of white space wherever they stand", () => {
    const blank = { type: "text" as const, text: " \n" };
    const { body, warnings } = encode({
      ...hello,
      messages: [
        { role: "system", content: [blank] },
        { role: "user", content: [blank, ...hello.messages[0]!.content] as TextPart[] },
        { role: "assistant", content: [blank, { type: "tool-call", callId: "t", name: "f", json: " " }] },
        { role: "tool", callId: "t", content: [blank] },
      ],
    });
    expect(body).toEqual({
      ...helloBody,
      messages: [
        ...helloBody.messages,
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t" }] },
      ],
    });
    expect(fieldsOf(warnings)).toEqual([0, 1, 2, 3].map((index) => `messages[${index}].content[0]`));
  });

  it("refuses a conversation of which nothing is left", () => {
    expect(() => encode({ ...hello, messages: [{ role: "user", content: [{ type: "text", text: " " }] }] })).toThrow(
      "messages must hold something that can be sent, got",
    );
  });

  it("spells the ids of calls in letters that the provider takes, and no two the same", () => {
    const ids = ["functions.f:0", "functions_f_0", "functions/f/0", "toolu_1"];
    const { body, warnings } = encode({
      ...hello,
      messages: [
        ...hello.messages,
        { role: "assistant", content: ids.map((callId) => ({ type: "tool-call", callId, name: "f", json: "{}" })) },
        ...ids.map((callId) => ({ role: "tool" as const, callId, content: [] })),
      ],
    });
    const spelt = ["functions_f_0", "functions_f_0_2", "functions_f_0_3", "toolu_1"];
    expect(body["messages"]).toEqual([
      ...helloBody.messages,
      { role: "assistant", content: spelt.map((id) => ({ type: "tool_use", id, name: "f", input: {} })) },
      { role: "user", content: spelt.map((id) => ({ type: "tool_result", tool_use_id: id })) },
    ]);
    expect(warnings).toEqual([]);
  });

  it.each<{ what: string; thinking: AssistantMessage["content"]; reasoning: ReasoningSettings; type: string }>([
    {
      what: "its own signed thinking",
      thinking: [{ type: "reasoning", text: "Hm.", signature: "s", signedBy }],
      reasoning: { budgetTokens: 1024 },
      type: "enabled",
    },
    {
      what: "thinking that is signed by nobody knows whom",
      thinking: [{ type: "reasoning", text: "", signature: "s", redacted: true }],
      reasoning: { budgetTokens: 1024 },
      type: "enabled",
    },
    {
      what: "another's thinking",
      thinking: [{ type: "reasoning", text: "Hm.", signature: "s", signedBy: "gemini" }],
      reasoning: { budgetTokens: 1024 },
      type: "disabled",
    },
    {
      what: "thinking without a signature",
      thinking: [{ type: "reasoning", text: "Hm." }],
      reasoning: { budgetTokens: 1024 },
      type: "disabled",
    },
    {
      what: "no thinking, where the model sees to it itself,",
      thinking: [],
      reasoning: { effort: "low" },
      type: "adaptive",
    },
  ])("goes on from calls after $what with thinking $type", ({ thinking, reasoning, type }) => {
    const { body, warnings } = encode({
      ...hello,
      reasoning,
      messages: [
        ...hello.messages,
        { role: "assistant", content: [...thinking, { type: "tool-call", callId: "t", name: "f", json: "{}" }] },
        { role: "tool", callId: "t", content: [] },
      ],
    });
    expect(body["thinking"]).toMatchObject({ type });
    expect(fieldsOf(warnings).includes("reasoning")).toBe(type === "disabled");
    // Once the user has spoken, nothing of the kind is asked for.
    const said = encode({
      ...hello,
      reasoning,
      messages: [{ role: "assistant", content: [{ type: "text", text: "a" }] }, ...hello.messages],
    });
    expect(said.body["thinking"]).toMatchObject({ type: type === "disabled" ? "enabled" : type });
  });

  it("takes no image from another provider's file store", () => {
    const images = ["file_1", "file-1", "files/x", "whose"].map((id) => ({
      type: "image" as const,
      source: { type: "file" as const, id },
    }));
    const { body, warnings } = encode({ ...hello, messages: [{ role: "user", content: images }] });
    expect(body["messages"]).toEqual([
      {
        role: "user",
        content: ["file_1", "whose"].map((id) => ({ type: "image", source: { type: "file", file_id: id } })),
      },
    ]);
    expect(fieldsOf(warnings)).toEqual(["messages[0].content[1]", "messages[0].content[2]"]);
  });

  it("reads results before what is said beside them, because they follow their calls", () => {
    const result = { type: "tool_result", tool_use_id: "t" };
    const said = { type: "text", text: "Well?" };
    const { request, warnings } = decode({ ...helloBody, messages: [{ role: "user", content: [said, result, said] }] });
    expect(request.messages).toEqual([
      { role: "tool", callId: "t", content: [] },
      { role: "user", content: [said, said] },
    ]);
    expect(fieldsOf(warnings)).toEqual(["messages[0].content"]);
  });

  const forced = { tools: [{ name: "f", input_schema: { type: "object" } }], tool_choice: { type: "any" } };

  it.each<{ what: string; body: object }>([
    { what: "an effort alone", body: { temperature: 0, output_config: { effort: "low" } } },
    { what: "an effort for a call that has to be made", body: { ...forced, output_config: { effort: "xhigh" } } },
    { what: "an effort and no thinking", body: { thinking: { type: "disabled" }, output_config: { effort: "max" } } },
    {
      what: "an effort and thinking",
      body: { thinking: { type: "adaptive" }, output_config: { effort: "max" } },
    },
    { what: "thinking between calls", body: { thinking: { type: "between_tools" } } },
    {
      what: "thinking between calls with an effort",
      body: { thinking: { type: "between_tools" }, output_config: { effort: "low" } },
    },
  ])("writes $what as it was read", ({ body }) => {
    const { request, warnings } = decode({ ...helloBody, ...body });
    expect(warnings).toEqual([]);
    expect(encode(request)).toEqual({ body: { ...helloBody, ...body }, warnings: [] });
  });

  it.each<{ reasoning: ReasoningSettings; thinking: object }>([
    { reasoning: { effort: "none" }, thinking: { type: "disabled" } },
    { reasoning: { budgetTokens: 2000 }, thinking: { type: "enabled", budget_tokens: 2000 } },
    { reasoning: { show: true }, thinking: { type: "adaptive", display: "summarized" } },
  ])("mixes nothing into thinking that a program asks for, of a way that only the provider has: $reasoning", (own) => {
    const body = { ...helloBody, max_tokens: 9000, thinking: { type: "between_tools", budget_tokens: 4000, pace: 1 } };
    const { request } = decode(body);
    expect(encode({ ...request, reasoning: own.reasoning }).body["thinking"]).toEqual(own.thinking);
    const effort: GenerationRequest = { ...request, reasoning: { effort: "low", effortOnly: true } };
    expect(encode(effort).body["thinking"]).toEqual(body.thinking);
  });

  it.each<{ body: object; reasoning: ReasoningSettings | undefined; fields: string[] }>([
    { body: {}, reasoning: undefined, fields: [] },
    {
      body: { thinking: { type: "enabled", budget_tokens: 5 } },
      reasoning: { budgetTokens: 5, show: true },
      fields: [],
    },
    {
      body: { thinking: { type: "enabled", budget_tokens: 5, display: "omitted" } },
      reasoning: { budgetTokens: 5, show: false },
      fields: [],
    },
    { body: { thinking: { type: "adaptive" } }, reasoning: {}, fields: [] },
    { body: { thinking: { type: "disabled" } }, reasoning: { budgetTokens: 0 }, fields: [] },
    { body: { output_config: { effort: "max" } }, reasoning: { effort: "max", effortOnly: true }, fields: [] },
    {
      body: { thinking: { type: "adaptive" }, output_config: { effort: "max" } },
      reasoning: { effort: "max" },
      fields: [],
    },
    { body: { thinking: { type: "between_tools" } }, reasoning: undefined, fields: [] },
  ])("reads the thinking settings of $body", ({ body, reasoning, fields }) => {
    const { request, warnings } = decode({ ...helloBody, ...body });
    expect(request.reasoning).toEqual(reasoning);
    expect(fieldsOf(warnings)).toEqual(fields);
  });

  it.each([
    { body: { service_tier: "auto", speed: null, context_management: null }, fields: [] },
    { body: { fallbacks: [{ model: "other" }] }, fields: ["fallbacks"] },
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
      fields: [],
    },
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
    [
      { ...helloBody, thread: { type: "continue", previous_message_id: "msg_1" } },
      "thread must be absent, because the whole conversation has to be in the request",
    ],
    [{ ...helloBody, system: 5 }, "system must be a string or a list of parts, got 5"],
  ])("refuses %j: %s", (body, message) => {
    expect(() => decode(body)).toThrow(message);
  });
});
