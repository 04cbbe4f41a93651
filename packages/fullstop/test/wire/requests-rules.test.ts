import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { brokenRules } from "../support/requests-rules.ts";
import { DIALECTS, overTheWire, sensibleRequest } from "../support/requests.ts";
import type { DialectName } from "../support/requests.ts";
import { same } from "../support/same.ts";

describe.each(DIALECTS)("a request that is written in $name", ({ name, encode }) => {
  it("breaks no rule of the provider, whatever is asked for", () => {
    fc.assert(
      fc.property(sensibleRequest, (request) => same(brokenRules(name, encode(request).body), [])),
      { numRuns: 1000 },
    );
  });

  it.each(DIALECTS)("breaks none either when it comes from a client of $name", (client) => {
    fc.assert(
      fc.property(sensibleRequest, (request) => {
        const { model, stream } = request;
        const read = client.decode(overTheWire(client.encode(request).body), { model, stream });
        same(brokenRules(name, encode(read.request).body), []);
      }),
      { numRuns: 200 },
    );
  });
});

describe("the rules of providers", () => {
  it.each<{ dialect: DialectName; body: object; broken: string[] }>([
    {
      dialect: "openai-chat",
      body: {
        messages: [
          { role: "assistant", content: null, tool_calls: [{ id: "a", function: { arguments: "" } }] },
          { role: "assistant", content: null, signature: "s" },
          { role: "tool", tool_call_id: "a", content: "" },
        ],
        stream_options: {},
        tool_choice: "auto",
      },
      broken: [
        "arguments are JSON",
        "results follow their calls at once",
        "a message has content or calls",
        "a message has no other fields",
        "a result follows its call",
        "only a stream has stream_options",
        "settings for tools come with tools",
      ],
    },
    {
      dialect: "openai-responses",
      body: {
        input: [
          { type: "reasoning", summary: [] },
          { type: "function_call", call_id: "a", arguments: "" },
          { type: "function_call_output", call_id: "b" },
        ],
        tools: [{}],
        include: [],
      },
      broken: [
        "signatures are its own",
        "arguments are JSON",
        "a result follows its call",
        "every call has a result",
        "a tool that is not strict says so",
        "a tool has parameters",
        "only a model that thinks has proofs",
      ],
    },
    {
      dialect: "anthropic-messages",
      body: {
        messages: [
          { role: "assistant", content: [{ type: "tool_use", id: "f:0" }] },
          {
            role: "user",
            content: [
              { type: "text", text: "\n" },
              { type: "tool_result", tool_use_id: "f:0" },
            ],
          },
          { role: "user", content: [] },
        ],
        temperature: 2,
        thinking: { type: "enabled", budget_tokens: 5 },
        tool_choice: { type: "any" },
        stop_sequences: [" "],
        output_config: { format: { schema: { type: "object" } } },
      },
      broken: [
        "ids have plain letters",
        "results come first",
        "texts have letters",
        "ids have plain letters",
        "roles alternate",
        "a message has content",
        "a model that thinks chooses its tokens itself",
        "a model that thinks is free to call",
        "a budget is within bounds",
        "temperatures are from 0 to 1",
        "stop strings have letters",
        "schemas are closed",
      ],
    },
    {
      dialect: "gemini",
      body: {
        contents: [
          { role: "model", parts: [{ functionCall: { id: "a" } }] },
          { role: "model", parts: [{ text: "" }, { text: "a", thoughtSignature: "s" }] },
          { role: "user", parts: [{ functionResponse: { id: "a", parts: [{ mediaResolution: {} }] } }] },
        ],
      },
      broken: [
        "turns of the model are one",
        "every call has its result in the next content",
        "texts are not empty",
        "signatures are its own",
        "every call has its result in the next content",
        "results have plain parts",
      ],
    },
  ])("are looked after in $dialect", ({ dialect, body, broken }) => {
    expect(brokenRules(dialect, body)).toEqual(broken);
  });
});
