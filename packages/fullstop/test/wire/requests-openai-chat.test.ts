import type { ChatCompletionCreateParams } from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import type { GenerationRequest } from "../../src/request.ts";
import { decodeOpenaiChatRequest as decode } from "../../src/wire/openai-chat/decode-request.ts";
import { encodeOpenaiChatRequest as encode } from "../../src/wire/openai-chat/encode-request.ts";
import { defineOpenaiChat } from "../../src/wire/openai-chat/format.ts";

interface Exact {
  readonly what: string;
  readonly body: ChatCompletionCreateParams;
  readonly request: GenerationRequest;
}

const hello: GenerationRequest = { model: "m", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] };
const helloBody = { model: "m", messages: [{ role: "user" as const, content: "Hi" }] };
const schema = { type: "object", properties: { city: { type: "string" } } };

const exact: readonly Exact[] = [
  { what: "the shortest request", body: helloBody, request: hello },
  {
    what: "a whole conversation",
    body: {
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: "https://example.com/cat.png", detail: "low" } },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: '{"at": 1}' } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "a cat" },
        { role: "assistant", content: "A cat." },
        { role: "user", content: "Sure?" },
      ],
    },
    request: {
      model: "m",
      messages: [
        { role: "system", content: [{ type: "text", text: "Be brief." }] },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image", source: { type: "url", url: "https://example.com/cat.png" }, detail: "low" },
            { type: "image", source: { type: "data", mediaType: "image/png", data: "AAAA" } },
          ],
        },
        { role: "assistant", content: [{ type: "tool-call", callId: "call_1", name: "look", json: '{"at": 1}' }] },
        { role: "tool", callId: "call_1", content: [{ type: "text", text: "a cat" }] },
        { role: "assistant", content: [{ type: "text", text: "A cat." }] },
        { role: "user", content: [{ type: "text", text: "Sure?" }] },
      ],
    },
  },
  {
    what: "every setting",
    body: {
      ...helloBody,
      stream: true,
      stream_options: { include_usage: true },
      tools: [{ type: "function", function: { name: "look", description: "Looks", parameters: schema, strict: true } }],
      tool_choice: { type: "function", function: { name: "look" } },
      parallel_tool_calls: false,
      reasoning_effort: "high",
      stop: ["END", "\n\n"],
      max_completion_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      presence_penalty: -1,
      frequency_penalty: 1,
      seed: 7,
      response_format: { type: "json_schema", json_schema: { name: "place", schema, strict: true } },
      metadata: { team: "blue" },
      store: false,
      user: "u-1",
    },
    request: {
      ...hello,
      stream: true,
      tools: [{ name: "look", description: "Looks", parameters: schema, strict: true }],
      toolChoice: { name: "look" },
      parallelToolCalls: false,
      reasoning: { effort: "high" },
      stop: ["END", "\n\n"],
      maxOutputTokens: 100,
      sampling: { temperature: 0.5, topP: 0.9, presencePenalty: -1, frequencyPenalty: 1, seed: 7 },
      output: { type: "json-schema", name: "place", schema, strict: true },
      metadata: { team: "blue" },
      store: false,
      streamUsage: true,
      user: "u-1",
    },
  },
];

describe("a Chat Completions request", () => {
  it.each(exact)("reads and writes $what", ({ body, request }) => {
    expect(decode(body)).toEqual({ request, warnings: [] });
    expect(encode(request)).toEqual({ body, warnings: [] });
  });

  it.each([
    {
      what: "a developer's message",
      body: { messages: [{ role: "developer", content: "Be brief." }] },
      messages: [{ role: "system", content: [{ type: "text", text: "Be brief." }] }],
    },
    {
      what: "thinking of earlier, under the name that most servers use",
      body: { messages: [{ role: "assistant", content: "4", reasoning_content: "2 + 2", reasoning: "2 + 2" }] },
      messages: [
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "2 + 2" },
            { type: "text", text: "4" },
          ],
        },
      ],
    },
    {
      what: "a refusal as text",
      body: {
        messages: [
          { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
          { role: "assistant", content: null, refusal: "Never." },
        ],
      },
      messages: [
        { role: "assistant", content: [{ type: "text", text: "No." }] },
        { role: "assistant", content: [{ type: "text", text: "Never." }] },
      ],
    },
    {
      what: "the deprecated function calls, whose results find their calls by name and order",
      body: {
        messages: [
          { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
          { role: "assistant", content: "", function_call: { name: "f", arguments: "[1]" } },
          { role: "function", name: "f", content: "one" },
          { role: "function", name: "f", content: null },
          { role: "function", name: "g", content: "stray" },
        ],
      },
      messages: [
        { role: "assistant", content: [{ type: "tool-call", callId: "call_0", name: "f", json: "{}" }] },
        { role: "assistant", content: [{ type: "tool-call", callId: "call_1", name: "f", json: "[1]" }] },
        { role: "tool", callId: "call_0", name: "f", content: [{ type: "text", text: "one" }] },
        { role: "tool", callId: "call_1", name: "f", content: [] },
        { role: "tool", callId: "call_2", name: "g", content: [{ type: "text", text: "stray" }] },
      ],
    },
    {
      what: "a data address that is not base64 as the address it is",
      body: {
        messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:image/svg+xml,<svg/>" } }] }],
      },
      messages: [
        { role: "user", content: [{ type: "image", source: { type: "url", url: "data:image/svg+xml,<svg/>" } }] },
      ],
    },
  ])("reads $what", ({ body, messages }) => {
    expect(decode({ model: "m", ...body })).toEqual({ request: { model: "m", messages }, warnings: [] });
  });

  it.each([
    { body: { max_tokens: 5 }, settings: { maxOutputTokens: 5 } },
    { body: { max_tokens: 5, max_completion_tokens: 5 }, settings: { maxOutputTokens: 5 } },
    { body: { stop: "END" }, settings: { stop: ["END"] } },
    { body: { stop: [] }, settings: {} },
    {
      body: { functions: [{ name: "f", parameters: schema }], function_call: { name: "f" } },
      settings: { tools: [{ name: "f", parameters: schema }], toolChoice: { name: "f" } },
    },
    { body: { response_format: { type: "json_object" } }, settings: { output: { type: "json" } } },
    { body: { safety_identifier: "u-2" }, settings: { user: "u-2" } },
    { body: { safety_identifier: "u-2", user: "u-2" }, settings: { user: "u-2" } },
    { body: { store: true }, settings: { store: true } },
    { body: { stream_options: { include_usage: false } }, settings: { streamUsage: false } },
    { body: { stream_options: { include_obfuscation: true } }, settings: {} },
    { body: { random_seed: 7 }, settings: { sampling: { seed: 7 } } },
    { body: { top_k: 40 }, settings: { sampling: { topK: 40 } } },
    {
      body: {
        n: 1,
        logprobs: false,
        logit_bias: null,
        tools: [],
        modalities: ["text"],
        service_tier: "auto",
      },
      settings: {},
    },
  ])("reads $body without a warning", ({ body, settings }) => {
    expect(decode({ ...helloBody, ...body })).toEqual({ request: { ...hello, ...settings }, warnings: [] });
  });

  it.each([
    { body: { n: 2 }, fields: ["n"] },
    { body: { logprobs: true, top_logprobs: 3 }, fields: ["logprobs", "top_logprobs"] },
    { body: { modalities: ["text", "audio"], audio: { voice: "v" } }, fields: ["audio", "modalities"] },
    { body: { models: ["another"], preset: "@preset/x" }, fields: ["models", "preset"] },
    { body: { max_tokens: 5, max_completion_tokens: 6 }, fields: ["max_tokens"] },
    { body: { user: "a", safety_identifier: "b" }, fields: ["safety_identifier"] },
    { body: { tools: [{ type: "browser", browser: { name: "b" } }] }, fields: ["tools[0]"] },
    { body: { response_format: { type: "grammar", grammar: "x" } }, fields: ["response_format"] },
    {
      body: {
        messages: [
          {
            role: "assistant",
            content: "x",
            tool_calls: [{ id: "c", type: "browser", browser: { name: "n" } }],
          },
        ],
      },
      fields: ["messages[0].tool_calls[0]"],
    },
    {
      body: {
        messages: [
          {
            role: "assistant",
            tool_calls: [
              { id: "c", type: "browser", browser: { name: "n" } },
              { id: "f", type: "function", function: { name: "f", arguments: "{}" } },
            ],
          },
          { role: "tool", tool_call_id: "c", content: "of nothing that is sent" },
          { role: "tool", tool_call_id: "f", content: "x" },
        ],
      },
      fields: ["messages[0].tool_calls[0]", "messages[1]"],
    },
    {
      body: JSON.parse('{"__proto__": {"stream": true}, "constructor": 1}') as object,
      fields: ["__proto__", "constructor"],
    },
  ])("warns once for each thing it leaves out of $body", ({ body, fields }) => {
    const { warnings } = decode({ ...helloBody, ...body });
    expect(warnings.map(({ field }) => field).sort()).toEqual(fields);
    for (const { message } of warnings) expect(message).toMatch(/^[A-Z].*\.$/);
  });

  it("leaves out no result of a function whose call has the id of one that was left out before", () => {
    const other = { id: "c", type: "browser", browser: { name: "n" } };
    const called = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
    const result = { role: "tool", tool_call_id: "c", content: "x" };
    const messages = [other, called].flatMap((call) => [{ role: "assistant", tool_calls: [call] }, result]);
    const { request, warnings } = decode({ ...helloBody, messages });
    expect(warnings.map(({ field }) => field).sort()).toEqual(["messages[0].tool_calls[0]", "messages[1]"]);
    expect(request.messages.map(({ role }) => role)).toEqual(["assistant", "assistant", "tool"]);
  });

  it.each([
    [5, "body must be an object, got 5"],
    [{}, "model must be the name of a model, got undefined"],
    [{ model: "" }, 'model must be a string that is not empty, got ""'],
    [{ model: "m" }, "messages must be a list, got undefined"],
    [{ model: "m", messages: [] }, "messages must not be empty, got []"],
    [{ model: "m", messages: [5] }, "messages[0] must be an object, got 5"],
    [
      { model: "m", messages: [{ role: "judge", content: "" }] },
      'messages[0].role must be one of system, developer, user, assistant, tool, function, got "judge"',
    ],
    [
      { model: "m", messages: [{ role: "user" }] },
      "messages[0].content must be a string or a list of parts, got undefined",
    ],
    [
      { model: "m", messages: [{ role: "user", content: [{ type: "image_url", image_url: 5 }] }] },
      "messages[0].content[0].image_url must be an object, got 5",
    ],
    [
      { model: "m", messages: [{ role: "user", content: [{ text: "x" }] }] },
      "messages[0].content[0].type must be a string, got undefined",
    ],
    [
      { model: "m", messages: [{ role: "tool", content: "x" }] },
      "messages[0].tool_call_id must be a string that is not empty, got undefined",
    ],
    [
      {
        model: "m",
        messages: [{ role: "assistant", tool_calls: [{ id: "c", function: { name: "f", arguments: {} } }] }],
      },
      "messages[0].tool_calls[0].function.arguments must be a string, got {}",
    ],
    [{ ...helloBody, stop: [""] }, 'stop[0] must be a string that is not empty, got ""'],
    [{ ...helloBody, stop: "" }, 'stop must be a string that is not empty, got ""'],
    [{ ...helloBody, max_tokens: -1 }, "max_tokens must be a whole number of at least 0, got -1"],
    [{ ...helloBody, temperature: "hot" }, 'temperature must be a number, got "hot"'],
    [{ ...helloBody, stream: 1 }, "stream must be true or false, got 1"],
    [{ ...helloBody, metadata: { a: 1 } }, "metadata.a must be a string, got 1"],
    [{ ...helloBody, tools: [{ type: "function" }] }, "tools[0].function must be an object, got undefined"],
    [{ ...helloBody, tool_choice: "any" }, 'tool_choice must be one of auto, none, required, got "any"'],
  ])("refuses %j: %s", (body, message) => {
    expect(() => decode(body)).toThrow(message);
  });

  it.each([
    { part: { stream: true }, options: { include_usage: true } },
    { part: { stream: true, streamUsage: true }, options: { include_usage: true } },
    { part: { stream: true, streamUsage: false }, options: undefined },
    { part: { stream: false, streamUsage: true }, options: undefined },
    { part: { streamUsage: false }, options: undefined },
  ])("asks for the token counts of $part by $options", ({ part, options }) => {
    const { body, warnings } = encode({ ...hello, ...part });
    expect(body["stream_options"]).toEqual(options);
    expect(warnings).toEqual([]);
  });

  it("reads Google's proof on a call, and keeps it to itself where nobody else takes it", () => {
    const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
    const extra = { extra_content: { google: { thought_signature: "c2ln" } } };
    const signed = { role: "assistant", content: null, tool_calls: [{ ...call, ...extra }] };
    const { request, warnings } = decode({ ...helloBody, messages: [...helloBody.messages, signed] });
    expect(warnings).toEqual([]);
    expect(request.messages[1]?.content).toEqual([
      { type: "tool-call", callId: "c", name: "f", json: "{}", signature: "c2ln", signedBy: "gemini" },
    ]);
    const plain = encode(request);
    expect(plain.body["messages"]).toEqual([...helloBody.messages, { ...signed, tool_calls: [call] }]);
    expect(plain.warnings.map(({ field }) => field)).toEqual(["messages[1].content[0].signature"]);
    const google = defineOpenaiChat({ thoughtSignatures: true }).encodeRequest(request);
    expect(google).toEqual({ body: { ...helloBody, messages: [...helloBody.messages, signed] }, warnings: [] });
  });

  it("writes what other providers take in their own words", () => {
    const request: GenerationRequest = {
      ...hello,
      messages: [
        ...hello.messages,
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Hm.", signature: "s" },
            { type: "tool-call", callId: "c", name: "f", json: "{}", signature: "s", signedBy: "anthropic-messages" },
          ],
        },
      ],
      stream: true,
      maxOutputTokens: 5,
      sampling: { topK: 40, seed: 7 },
      store: true,
      user: "u-1",
    };
    const variant = defineOpenaiChat({
      limitField: "max_tokens",
      reasoningField: "reasoning_content",
      seedField: "random_seed",
      store: false,
      streamOptions: false,
      thoughtSignatures: true,
      topK: true,
      user: false,
    });
    const { body, warnings } = variant.encodeRequest(request);
    const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
    expect(body).toEqual({
      ...helloBody,
      messages: [
        ...helloBody.messages,
        { role: "assistant", content: null, reasoning_content: "Hm.", tool_calls: [call] },
      ],
      stream: true,
      max_tokens: 5,
      top_k: 40,
      random_seed: 7,
    });
    expect(warnings.map(({ field }) => field).sort()).toEqual([
      "messages[1].content[0].signature",
      "messages[1].content[1].signature",
      "store",
      "user",
    ]);
    expect(() => defineOpenaiChat({ limit: "max_tokens" } as object)).toThrow("variant has no such option");
  });

  it("does not mind what answers say about who is quoted", () => {
    const said = { role: "assistant", content: "x", annotations: [{ type: "url_citation" }], refusal: null };
    const { request, warnings } = decode({ ...helloBody, messages: [...helloBody.messages, said] });
    expect(warnings).toEqual([]);
    expect(encode(request).body["messages"]).toEqual([...helloBody.messages, { role: "assistant", content: "x" }]);
  });

  it("makes one message of calls and what the model says before their results", () => {
    const call = (id: string, json: string) => ({ type: "tool-call" as const, callId: id, name: "f", json });
    const { body, warnings } = encode({
      ...hello,
      messages: [
        { role: "assistant", content: [{ type: "text", text: "a" }] },
        { role: "assistant", content: [{ type: "text", text: "b" }, call("c1", "")] },
        { role: "assistant", content: [call("c2", " "), { type: "text", text: "c" }], isPartial: true },
        { role: "tool", callId: "c1", content: [] },
        { role: "tool", callId: "c2", content: [] },
      ],
    });
    const written = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
    expect(body["messages"]).toEqual([
      { role: "assistant", content: "a" },
      {
        role: "assistant",
        content: ["b", "c"].map((text) => ({ type: "text", text })),
        tool_calls: [written("c1"), written("c2")],
      },
      { role: "tool", tool_call_id: "c1", content: "" },
      { role: "tool", tool_call_id: "c2", content: "" },
    ]);
    expect(warnings.map(({ field }) => field)).toEqual(["messages[2].content[1]"]);
  });

  it("refuses to write a request without messages", () => {
    expect(() => encode({ model: "m", messages: [] })).toThrow("messages must hold something that can be sent, got []");
  });

  it("takes the model and the stream from the address where the body does not say them", () => {
    const { messages } = helloBody;
    expect(decode({ messages }, { model: "t", stream: true }).request).toMatchObject({ model: "t", stream: true });
    expect(decode({ ...helloBody, stream: false }, { model: "t", stream: true }).request).toMatchObject({
      model: "m",
      stream: false,
    });
  });

  it.each([
    { reasoning: { budgetTokens: 0 }, effort: "none", fields: [] },
    { reasoning: { budgetTokens: 1000 }, effort: "minimal", fields: ["reasoning.budgetTokens"] },
    { reasoning: { budgetTokens: 2048 }, effort: "low", fields: ["reasoning.budgetTokens"] },
    { reasoning: { budgetTokens: 2049 }, effort: "medium", fields: ["reasoning.budgetTokens"] },
    { reasoning: { budgetTokens: 20_000 }, effort: "high", fields: ["reasoning.budgetTokens"] },
    { reasoning: { budgetTokens: 1_000_000 }, effort: "max", fields: ["reasoning.budgetTokens"] },
    { reasoning: { effort: "low", budgetTokens: 9 }, effort: "low", fields: ["reasoning.budgetTokens"] },
    { reasoning: { effort: "own word" }, effort: "own word", fields: [] },
    { reasoning: {}, effort: undefined, fields: [] },
  ])("writes the thinking settings $reasoning as $effort", ({ reasoning, effort, fields }) => {
    const { body, warnings } = encode({ ...hello, reasoning });
    expect(body["reasoning_effort"]).toBe(effort);
    expect(warnings.map(({ field }) => field)).toEqual(fields);
  });
});
