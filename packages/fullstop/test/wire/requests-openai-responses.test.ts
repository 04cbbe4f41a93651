import type { ResponseCreateParams } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import type { GenerationRequest } from "../../src/request.ts";
import { decodeOpenaiResponsesRequest as decode } from "../../src/wire/openai-responses/decode-request.ts";
import { encodeOpenaiResponsesRequest as encode } from "../../src/wire/openai-responses/encode-request.ts";
import { wrapSignature } from "../../src/wire/signatures.ts";

interface Exact {
  readonly what: string;
  readonly body: ResponseCreateParams;
  readonly request: GenerationRequest;
}

const hello: GenerationRequest = { model: "m", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] };
const helloBody = { model: "m", input: [{ type: "message" as const, role: "user" as const, content: "Hi" }] };
const schema = { type: "object", properties: { city: { type: "string" } } };
const closed = { ...schema, required: ["city"], additionalProperties: false };
const signedBy = "openai-responses";

const exact: readonly Exact[] = [
  { what: "the shortest request", body: helloBody, request: hello },
  {
    what: "a whole conversation",
    body: {
      model: "m",
      instructions: "Be brief.",
      input: [
        {
          type: "message",
          role: "user",
          content: [
            { type: "input_text", text: "What is this?" },
            { type: "input_image", image_url: "https://example.com/cat.png", detail: "low" },
            { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" },
            { type: "input_image", file_id: "file-1", detail: "auto" },
          ],
        },
        { type: "message", role: "assistant", content: "Let me look." },
        { type: "function_call", call_id: "call_1", name: "look", arguments: '{"at": 1}' },
        {
          type: "function_call_output",
          call_id: "call_1",
          output: [{ type: "input_image", image_url: "https://example.com/zoom.png", detail: "auto" }],
        },
        { type: "message", role: "system", content: "Now be kind." },
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
            { type: "image", source: { type: "file", id: "file-1" } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Let me look." },
            { type: "tool-call", callId: "call_1", name: "look", json: '{"at": 1}' },
          ],
        },
        {
          role: "tool",
          callId: "call_1",
          content: [{ type: "image", source: { type: "url", url: "https://example.com/zoom.png" } }],
        },
        { role: "system", content: [{ type: "text", text: "Now be kind." }] },
      ],
    },
  },
  {
    what: "every setting",
    body: {
      ...helloBody,
      stream: true,
      tools: [
        { type: "function", name: "look", description: "Looks", parameters: schema, strict: true },
        { type: "function", name: "wait", parameters: null, strict: false },
      ],
      tool_choice: { type: "function", name: "look" },
      parallel_tool_calls: false,
      reasoning: { effort: "high", summary: "auto" },
      include: ["reasoning.encrypted_content"],
      max_output_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      text: { format: { type: "json_schema", name: "place", schema, strict: true } },
      metadata: { team: "blue" },
      store: false,
      user: "u-1",
    },
    request: {
      ...hello,
      stream: true,
      tools: [
        { name: "look", description: "Looks", parameters: schema, strict: true },
        { name: "wait", strict: false },
      ],
      toolChoice: { name: "look" },
      parallelToolCalls: false,
      reasoning: { effort: "high", show: true },
      maxOutputTokens: 100,
      sampling: { temperature: 0.5, topP: 0.9 },
      output: { type: "json-schema", name: "place", schema, strict: true },
      metadata: { team: "blue" },
      store: false,
      user: "u-1",
    },
  },
];

describe("a Responses request", () => {
  it.each(exact)("reads and writes $what", ({ body, request }) => {
    expect(decode(body)).toEqual({ request, warnings: [] });
    expect(encode(request)).toEqual({ body, warnings: [] });
  });

  it.each([
    { what: "a plain string", input: "Hi", messages: hello.messages },
    {
      what: "a message without a type",
      input: [{ role: "developer", content: "Be brief." }],
      messages: [{ role: "system", content: [{ type: "text", text: "Be brief." }] }],
    },
    {
      what: "what the model has made in a row as one message",
      input: [
        {
          type: "reasoning",
          id: "rs_1",
          summary: [
            { type: "summary_text", text: "Hm." },
            { type: "summary_text", text: "Ah." },
          ],
          encrypted_content: "sig",
        },
        {
          type: "message",
          id: "msg_1",
          status: "completed",
          role: "assistant",
          content: [
            { type: "output_text", text: "Let me look.", annotations: [], logprobs: [] },
            { type: "refusal", refusal: "No." },
          ],
        },
        { type: "function_call", id: "fc_1", status: "completed", call_id: "call_1", name: "look", arguments: "{}" },
        { type: "function_call_output", call_id: "call_1", output: "a cat" },
        { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "sig2" },
      ],
      messages: [
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Hm.\n\nAh.", signature: "sig", signedBy },
            { type: "text", text: "Let me look." },
            { type: "text", text: "No." },
            { type: "tool-call", callId: "call_1", name: "look", json: "{}" },
          ],
        },
        { role: "tool", callId: "call_1", content: [{ type: "text", text: "a cat" }] },
        { role: "assistant", content: [{ type: "reasoning", text: "", signature: "sig2", signedBy }] },
      ],
    },
    {
      what: "items that only the provider understands as they are",
      input: [
        { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
        { type: "message", role: "assistant", content: "Found." },
        { type: "item_reference", id: "msg_1" },
      ],
      messages: [
        {
          role: "assistant",
          content: [
            {
              type: "opaque",
              format: "openai-responses",
              value: { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
            },
            { type: "text", text: "Found." },
            { type: "opaque", format: "openai-responses", value: { type: "item_reference", id: "msg_1" } },
          ],
        },
      ],
    },
    {
      what: "thinking that another provider withholds",
      input: [
        { type: "reasoning", id: "rs_redacted_g1_0", summary: [], encrypted_content: "secret" },
        {
          type: "reasoning",
          id: "rs_redacted_g1_1",
          summary: [],
          encrypted_content: wrapSignature("more", "anthropic-messages", "openai-responses"),
        },
      ],
      messages: [
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "", signature: "secret", redacted: true },
            { type: "reasoning", text: "", signature: "more", signedBy: "anthropic-messages", redacted: true },
          ],
        },
      ],
    },
    {
      what: "the thinking of an open model",
      input: [{ type: "reasoning", id: "rs_1", summary: [], content: [{ type: "reasoning_text", text: "2 + 2" }] }],
      messages: [{ role: "assistant", content: [{ type: "reasoning", text: "2 + 2" }] }],
    },
  ])("reads $what", ({ input, messages }) => {
    expect(decode({ model: "m", input })).toEqual({ request: { model: "m", messages }, warnings: [] });
  });

  it.each<{ tool: object; strict: boolean | undefined }>([
    { tool: { parameters: closed }, strict: true },
    {
      tool: { parameters: { type: "object", properties: { a: closed }, required: ["a"], additionalProperties: false } },
      strict: true,
    },
    { tool: { parameters: closed, strict: null }, strict: true },
    { tool: { parameters: closed, strict: false }, strict: false },
    { tool: { parameters: schema }, strict: undefined },
    { tool: { parameters: { ...closed, required: [] } }, strict: undefined },
    { tool: { parameters: { ...closed, additionalProperties: true } }, strict: undefined },
    { tool: { parameters: { ...closed, properties: { city: schema } } }, strict: undefined },
    { tool: { parameters: schema, strict: true }, strict: true },
    { tool: {}, strict: undefined },
  ])("takes the tool $tool to be strict: $strict", ({ tool, strict }) => {
    const { request } = decode({ ...helloBody, tools: [{ type: "function", name: "f", ...tool }] });
    expect(request.tools?.[0]?.strict).toBe(strict);
    // Whoever does not ask for it must not get it, and that has to be said.
    expect(encode(request).body["tools"]).toMatchObject([{ strict: strict ?? false }]);
  });

  it.each([
    { reasoning: undefined, include: undefined },
    { reasoning: {}, include: undefined },
    { reasoning: { effort: "none" }, include: undefined },
    { reasoning: { budgetTokens: 0 }, include: undefined },
    { reasoning: { effort: "low" }, include: ["reasoning.encrypted_content"] },
    { reasoning: { show: true }, include: ["reasoning.encrypted_content"] },
  ])("asks with $reasoning for the proofs of thinking: $include", ({ reasoning, include }) => {
    expect(encode({ ...hello, reasoning }).body["include"]).toEqual(include);
  });

  it("takes back only what it has signed, and calls without arguments as such", () => {
    const { body, warnings } = encode({
      model: "m",
      messages: [
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "unsigned" },
            { type: "reasoning", text: "another's", signature: "s", signedBy: "anthropic-messages" },
            { type: "reasoning", text: "own", signature: "s", signedBy },
            { type: "tool-call", callId: "c", name: "f", json: "" },
          ],
        },
      ],
    });
    expect(body["input"]).toEqual([
      { type: "reasoning", summary: [{ type: "summary_text", text: "own" }], encrypted_content: "s" },
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
    ]);
    expect(warnings.map(({ field }) => field)).toEqual(["messages[0].content[0]", "messages[0].content[1]"]);
  });

  it("writes thinking with its proof, and texts in a row as one message", () => {
    const { body } = encode({
      model: "m",
      messages: [
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Hm.", signature: "sig" },
            { type: "text", text: "a" },
            { type: "text", text: "b" },
            { type: "tool-call", callId: "c", name: "f", json: "{}" },
            { type: "text", text: "d" },
          ],
        },
      ],
    });
    expect(body["input"]).toEqual([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "sig" },
      {
        type: "message",
        role: "assistant",
        content: [
          { type: "output_text", text: "a" },
          { type: "output_text", text: "b" },
        ],
      },
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
      { type: "message", role: "assistant", content: "d" },
    ]);
  });

  it("writes instructions that stand alone as input, because there has to be some", () => {
    const request: GenerationRequest = {
      model: "m",
      messages: [{ role: "system", content: [{ type: "text", text: "Go." }] }],
    };
    const { body, warnings } = encode(request);
    expect(body).toEqual({ model: "m", input: [{ type: "message", role: "system", content: "Go." }] });
    expect(warnings).toEqual([]);
    expect(decode(body).request).toEqual(request);
  });

  it.each([
    { body: { background: true, top_logprobs: 2 }, fields: ["background", "top_logprobs"] },
    {
      body: { background: false, include: [], truncation: "disabled", service_tier: "auto" },
      fields: [],
    },
    { body: { tool_choice: { type: "web_search_preview" } }, fields: ["tool_choice"] },
    {
      body: { reasoning: { effort: "low", summary: "detailed" } },
      fields: ["reasoning.summary"],
    },
    { body: { input: [{ role: "assistant", phase: "commentary", content: "x" }] }, fields: ["input[0].phase"] },
  ])("warns once for each thing it leaves out of $body", ({ body, fields }) => {
    expect(
      decode({ ...helloBody, ...body })
        .warnings.map(({ field }) => field)
        .sort(),
    ).toEqual(fields);
  });

  it.each([
    [{ model: "m" }, "input must be a string or a list of items, got undefined"],
    [{ model: "m", input: [] }, "input must not be empty, got []"],
    [
      { model: "m", input: "Hi", previous_response_id: "resp_1" },
      'previous_response_id must be absent, because the whole conversation has to be in the request, got "resp_1"',
    ],
    [
      { model: "m", input: "Hi", conversation: { id: "conv_1" } },
      "conversation must be absent, because the whole conversation has to be in the request",
    ],
    [{ model: "m", input: [{}] }, "input[0].role must be one of system, developer, user, assistant, got undefined"],
    [
      { model: "m", input: [{ role: "tool", content: "" }] },
      'input[0].role must be one of system, developer, user, assistant, got "tool"',
    ],
    [
      { model: "m", input: [{ type: "function_call", call_id: "c", name: "f" }] },
      "input[0].arguments must be a string, got undefined",
    ],
    [
      { model: "m", input: [{ type: "function_call_output", call_id: "c", output: 5 }] },
      "input[0].output must be a string or a list of parts, got 5",
    ],
    [{ model: "m", input: "Hi", instructions: 5 }, "instructions must be a string, got 5"],
    [
      { model: "m", input: "Hi", max_output_tokens: 1.5 },
      "max_output_tokens must be a whole number of at least 0, got 1.5",
    ],
    [
      { model: "m", input: "Hi", text: { format: { type: "json_schema" } } },
      "text.format.name must be a string, got undefined",
    ],
  ])("refuses %j: %s", (body, message) => {
    expect(() => decode(body)).toThrow(message);
  });
});
