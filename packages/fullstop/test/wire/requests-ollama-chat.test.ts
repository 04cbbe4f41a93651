import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FullstopError } from "../../src/errors.ts";
import type { GenerationRequest } from "../../src/request.ts";
import { ollamaChat } from "../../src/wire/index.ts";
import type { EncodedRequest } from "../../src/wire/index.ts";
import { generationRequest, overTheWire } from "../support/requests.ts";

const encode = (request: GenerationRequest): EncodedRequest => ollamaChat.encodeRequest(request);

const hello: GenerationRequest = { model: "m", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] };
const schema = { type: "object", properties: { city: { type: "string" } } };

interface Exact {
  readonly what: string;
  readonly request: Partial<GenerationRequest>;
  readonly body: object;
}

const EXACT: readonly Exact[] = [
  { what: "the shortest request, which is no stream", request: {}, body: { stream: false } },
  { what: "a stream", request: { stream: true }, body: { stream: true } },
  {
    what: "every setting that Ollama has",
    request: {
      maxOutputTokens: 50,
      stop: ["END"],
      sampling: { temperature: 0, topP: 0.9, topK: 40, presencePenalty: 1, frequencyPenalty: 0.5, seed: 7 },
    },
    body: {
      stream: false,
      options: {
        num_predict: 50,
        stop: ["END"],
        temperature: 0,
        top_p: 0.9,
        top_k: 40,
        presence_penalty: 1,
        frequency_penalty: 0.5,
        seed: 7,
      },
    },
  },
  {
    what: "tools",
    request: {
      tools: [{ name: "look", description: "Looks.", parameters: schema }, { name: "wait" }],
      toolChoice: "auto",
    },
    body: {
      stream: false,
      tools: [
        { type: "function", function: { name: "look", description: "Looks.", parameters: schema } },
        { type: "function", function: { name: "wait", parameters: { type: "object", properties: {} } } },
      ],
    },
  },
  { what: "thinking that is wanted", request: { reasoning: { show: true } }, body: { stream: false, think: true } },
  {
    what: "thinking that is not wanted",
    request: { reasoning: { effort: "none" } },
    body: { stream: false, think: false },
  },
  {
    what: "no tokens for thinking",
    request: { reasoning: { budgetTokens: 0 } },
    body: { stream: false, think: false },
  },
  { what: "a level", request: { reasoning: { effort: "high" } }, body: { stream: false, think: "high" } },
  { what: "thinking that is left to the model", request: { reasoning: {} }, body: { stream: false } },
  { what: "JSON", request: { output: { type: "json" } }, body: { stream: false, format: "json" } },
  { what: "text", request: { output: { type: "text" } }, body: { stream: false } },
  {
    what: "a schema",
    request: { output: { type: "json-schema", schema, name: "place", strict: true } },
    body: { stream: false, format: schema },
  },
];

describe("a request to Ollama", () => {
  it.each(EXACT)("says $what", ({ request, body }) => {
    const encoded = encode({ ...hello, ...request });
    expect(encoded.body).toEqual({ model: "m", messages: [{ role: "user", content: "Hi" }], ...body });
    expect(encoded.warnings).toEqual([]);
  });

  it("holds a whole conversation", () => {
    const { body, warnings } = encode({
      model: "m",
      messages: [
        { role: "system", content: [{ type: "text", text: "Be brief." }] },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image", source: { type: "data", mediaType: "image/png", data: "AAAA" } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Look at it." },
            { type: "text", text: "Let me " },
            { type: "text", text: "look." },
            { type: "tool-call", callId: "call_1", name: "look", json: '{"at": 1}' },
          ],
        },
        { role: "tool", callId: "call_1", content: [{ type: "text", text: "a cat" }] },
      ],
    });
    expect(body["messages"]).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "What is this?", images: ["AAAA"] },
      {
        role: "assistant",
        content: "Let me look.",
        thinking: "Look at it.",
        tool_calls: [{ id: "call_1", function: { name: "look", arguments: { at: 1 } } }],
      },
      { role: "tool", content: "a cat", tool_name: "look", tool_call_id: "call_1" },
    ]);
    expect(warnings).toEqual([]);
  });

  it.each<[what: string, request: Partial<GenerationRequest>, fields: readonly string[], body: object]>([
    ["an effort without a word", { reasoning: { effort: "max" } }, ["reasoning.effort"], { think: "high" }],
    ["an effort that nobody knows", { reasoning: { effort: "ultra" } }, ["reasoning.effort"], { think: true }],
    ["a budget", { reasoning: { budgetTokens: 8000 } }, ["reasoning.budgetTokens"], { think: "medium" }],
    ["thinking unseen", { reasoning: { show: false } }, ["reasoning.show"], {}],
    ["what is kept elsewhere", { metadata: { a: "b" }, user: "u", store: true }, ["metadata", "user", "store"], {}],
    ["tools that must not be called", { tools: [{ name: "look" }], toolChoice: "none" }, ["toolChoice"], {}],
    [
      "the one tool that is to be called",
      { tools: [{ name: "look" }, { name: "wait" }], toolChoice: { name: "wait" } },
      ["toolChoice"],
      { tools: [{ type: "function", function: { name: "wait", parameters: { type: "object", properties: {} } } }] },
    ],
  ])("tells of %s", (_what, request, fields, body) => {
    const encoded = encode({ ...hello, ...request });
    expect(encoded.warnings.map(({ field }) => field)).toEqual(fields);
    expect(encoded.body).toEqual({ model: "m", messages: [{ role: "user", content: "Hi" }], stream: false, ...body });
  });

  it("tells of what is left of tools, images and earlier turns", () => {
    const { body, warnings } = encode({
      model: "m",
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
            { type: "image", source: { type: "data", mediaType: "image/png", data: "AAAA" }, detail: "low" },
            { type: "text", text: "One" },
            { type: "text", text: "two" },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "", signature: "x", redacted: true },
            { type: "reasoning", text: "Hm", signature: "x" },
            { type: "tool-call", callId: "a", name: "look", json: "[1", signature: "x" },
            { type: "text", text: "Done" },
          ],
        },
        { role: "tool", callId: "b", content: [], isError: true },
      ],
      tools: [{ name: "look", strict: true }],
      toolChoice: "required",
      parallelToolCalls: false,
    });
    expect(body["messages"]).toEqual([
      { role: "user", content: "One\ntwo", images: ["AAAA"] },
      {
        role: "assistant",
        content: "Done",
        thinking: "Hm",
        tool_calls: [{ id: "a", function: { name: "look", arguments: {} } }],
      },
      { role: "tool", content: "", tool_call_id: "b" },
    ]);
    expect(warnings.map(({ field }) => field)).toEqual([
      "messages[0].content[0]",
      "messages[0].content[1].detail",
      "messages[0].content[3]",
      "messages[1].content[0]",
      "messages[1].content[1].signature",
      "messages[1].content[2].signature",
      "messages[1].content[2].json",
      "messages[1].content[3]",
      "messages[2].isError",
      "parallelToolCalls",
      "toolChoice",
      "tools[0].strict",
    ]);
  });

  it("is refused without a conversation", () => {
    expect(() => encode({ model: "m", messages: [] })).toThrow(FullstopError);
  });

  it("can be written whatever it says, with nothing in it that Ollama does not know", () => {
    const fields = ["model", "messages", "stream", "tools", "think", "format", "options"];
    fc.assert(
      fc.property(generationRequest, (request) => {
        const body = overTheWire(encode(request).body) as { messages: readonly object[]; think?: unknown };
        expect(fields).toEqual(expect.arrayContaining(Object.keys(body)));
        expect(body.messages).toHaveLength(request.messages.length);
        expect([undefined, true, false, "low", "medium", "high"]).toContain(body.think);
        for (const message of body.messages) expect(message).toHaveProperty("content", expect.any(String));
      }),
      { numRuns: 300 },
    );
  });
});
