import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../src/index.ts";
import {
  ENCODERS,
  call,
  callDelta,
  callEnd,
  callStart,
  finish,
  payloadsOf,
  read,
  redacted,
  reasoning,
  signature,
  start,
  text,
  usage,
  writeStream,
} from "../support/official.ts";
import type { Dialect, Json } from "../support/official.ts";

const done = finish("natural_completion");

function bodyOf(dialect: Dialect, events: readonly GenerationEvent[]): { body: Json; warnings: readonly string[] } {
  const warnings: string[] = [];
  const { body } = ENCODERS[dialect].response(events, { onWarning: ({ field }) => void warnings.push(field) });
  return { body: JSON.parse(JSON.stringify(body)) as Json, warnings };
}

const thinking = [start, reasoning("Let me "), reasoning("see."), signature("proof"), text("Four."), done];
const twoThoughts = [start, reasoning("a"), signature("1"), reasoning("b"), signature("2"), done];
const hidden = [start, redacted("sealed"), text("Four."), done];
const between = [start, text("a"), reasoning("b"), text("c"), done];

describe("thinking", () => {
  it("is reasoning_content in Chat, without its signature", () => {
    const { body, warnings } = bodyOf("openai-chat", thinking);
    expect(read(body, "choices", 0, "message")).toMatchObject({
      content: "Four.",
      reasoning_content: "Let me see.",
    });
    expect(warnings).toEqual(["signature"]);
    expect(writeStream("openai-chat", twoThoughts).warnings.map(({ field }) => field)).toEqual(["signature"]);
  });

  it("is a signed block in Messages", () => {
    expect(bodyOf("anthropic-messages", thinking).body["content"]).toEqual([
      { type: "thinking", thinking: "Let me see.", signature: "proof" },
      { type: "text", text: "Four.", citations: null },
    ]);
    const types = payloadsOf(writeStream("anthropic-messages", thinking).frames).map(
      (payload) => read(payload, "delta", "type") ?? payload["type"],
    );
    expect(types.slice(1, 9)).toEqual([
      "content_block_start",
      "thinking_delta",
      "thinking_delta",
      "signature_delta",
      "content_block_stop",
      "content_block_start",
      "text_delta",
      "content_block_stop",
    ]);
  });

  it("is a redacted block in Messages where nothing of it is shown", () => {
    const block = { type: "redacted_thinking", data: "sealed" };
    expect(read(bodyOf("anthropic-messages", hidden).body, "content", 0)).toEqual(block);
    const payloads = payloadsOf(writeStream("anthropic-messages", hidden).frames);
    expect(payloads[1]).toMatchObject({ type: "content_block_start", content_block: block });
    expect(payloads[2]).toMatchObject({ type: "content_block_stop", index: 0 });
  });

  it("is a block without text in Messages where it is only not shown", () => {
    const unseen = [start, signature("proof"), text("Four."), done];
    const block = { type: "thinking", thinking: "", signature: "proof" };
    expect(read(bodyOf("anthropic-messages", unseen).body, "content", 0)).toEqual(block);
    const payloads = payloadsOf(writeStream("anthropic-messages", unseen).frames);
    expect(payloads[2]).toMatchObject({ delta: { type: "signature_delta", signature: "proof" } });
  });

  it("is a summary with encrypted content in Responses", () => {
    expect(bodyOf("openai-responses", thinking).body["output"]).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Let me see." }], encrypted_content: "proof" },
      { type: "message", content: [{ type: "output_text", text: "Four." }] },
    ]);
    expect(bodyOf("openai-responses", hidden).body["output"]).toMatchObject([
      { type: "reasoning", summary: [], encrypted_content: "sealed" },
      { type: "message" },
    ]);
  });

  it("is a thought with its signature in Gemini", () => {
    expect(read(bodyOf("gemini", thinking).body, "candidates", 0, "content", "parts")).toEqual([
      { text: "Let me see.", thought: true, thoughtSignature: "proof" },
      { text: "Four." },
    ]);
    const signed = payloadsOf(writeStream("gemini", thinking).frames)[2];
    expect(read(signed, "candidates", 0, "content", "parts")).toEqual([
      { text: "", thought: true, thoughtSignature: "proof" },
    ]);
  });

  it("ends with its signature, and what follows is another thought", () => {
    expect(bodyOf("anthropic-messages", twoThoughts).body["content"]).toEqual([
      { type: "thinking", thinking: "a", signature: "1" },
      { type: "thinking", thinking: "b", signature: "2" },
    ]);
    expect(bodyOf("openai-responses", twoThoughts).body["output"]).toHaveLength(2);
  });

  it("between two texts keeps its place where the dialect has places", () => {
    const types = (dialect: Dialect, field: string): unknown =>
      (bodyOf(dialect, between).body[field] as Json[]).map(({ type }) => type);
    expect(types("anthropic-messages", "content")).toEqual(["text", "thinking", "text"]);
    expect(types("openai-responses", "output")).toEqual(["message", "reasoning", "message"]);
    expect(read(bodyOf("openai-chat", between).body, "choices", 0, "message", "content")).toBe("ac");
  });
});

describe("tool calls", () => {
  const interleaved = [
    start,
    callStart("a", "first"),
    callStart("b", "second"),
    callDelta("a", '{"x":'),
    callDelta("b", '{"y":'),
    text("meanwhile"),
    callDelta("a", "1}"),
    callDelta("b", "2}"),
    callEnd("a"),
    callEnd("b"),
    finish("tool_calls"),
  ];
  const cut = [start, callStart("a", "first"), callDelta("a", '{"x":'), finish("token_limit_reached")];

  it("that overlap wait for each other in Messages", () => {
    const payloads = payloadsOf(writeStream("anthropic-messages", interleaved).frames).slice(1, -2);
    expect(payloads.map(({ type, index, delta }) => [type, index, read(delta, "partial_json") ?? ""])).toEqual([
      ["content_block_start", 0, ""],
      ["content_block_delta", 0, '{"x":'],
      ["content_block_delta", 0, "1}"],
      ["content_block_stop", 0, ""],
      ["content_block_start", 1, ""],
      ["content_block_delta", 1, '{"y":2}'],
      ["content_block_stop", 1, ""],
      ["content_block_start", 2, ""],
      ["content_block_delta", 2, ""],
      ["content_block_stop", 2, ""],
    ]);
  });

  it("that overlap are open side by side in Responses", () => {
    const payloads = payloadsOf(writeStream("openai-responses", interleaved).frames);
    const deltas = payloads.filter(({ type }) => type === "response.function_call_arguments.delta");
    expect(deltas.map(({ output_index: index, delta }) => [index, delta])).toEqual([
      [0, '{"x":'],
      [1, '{"y":'],
      [0, "1}"],
      [1, "2}"],
    ]);
  });

  it("are whole in Gemini, with the signature that came with their end", () => {
    const events: GenerationEvent[] = [
      start,
      callStart("a", "first"),
      callDelta("a", '{"x":1}'),
      { type: "tool-call-end", callId: "a", signature: "proof" },
      finish("tool_calls"),
    ];
    const part = { functionCall: { id: "a", name: "first", args: { x: 1 } }, thoughtSignature: "proof" };
    expect(read(bodyOf("gemini", events).body, "candidates", 0, "content", "parts")).toEqual([part]);
    const { frames } = writeStream("gemini", events);
    expect(read(payloadsOf(frames)[0], "candidates", 0, "content", "parts")).toEqual([part]);
    for (const dialect of ["openai-chat", "openai-responses", "anthropic-messages"] as const) {
      expect(bodyOf(dialect, events).warnings).toEqual(["signature"]);
      expect(writeStream(dialect, events).warnings.map(({ field }) => field)).toEqual(["signature"]);
    }
  });

  it("without arguments have an empty object where there has to be one", () => {
    const events = [start, callStart("a", "f"), callEnd("a"), finish("tool_calls")];
    expect(read(bodyOf("anthropic-messages", events).body, "content", 0, "input")).toEqual({});
    expect(read(bodyOf("gemini", events).body, "candidates", 0, "content", "parts", 0)).toEqual({
      functionCall: { id: "a", name: "f", args: {} },
    });
    expect(read(bodyOf("openai-responses", events).body, "output", 0, "arguments")).toBe("");
  });

  it("that were cut are written as far as they came", () => {
    const message = read(bodyOf("openai-chat", cut).body, "choices", 0, "message");
    expect(read(message, "tool_calls", 0, "function", "arguments")).toBe('{"x":');
    expect(read(bodyOf("openai-responses", cut).body, "output", 0)).toMatchObject({
      status: "incomplete",
      arguments: '{"x":',
    });
    const types = payloadsOf(writeStream("openai-responses", cut).frames).map(({ type }) => type);
    expect(types).not.toContain("response.function_call_arguments.done");
    expect(read(bodyOf("anthropic-messages", cut).body, "content", 0, "input")).toBe('{"x":');
    expect(bodyOf("anthropic-messages", cut).warnings).toEqual(["toolCalls"]);
  });

  it.each([
    { what: "cut", events: cut },
    {
      what: "whose arguments are no object",
      events: [start, ...call("a", "f", "[1]"), finish("tool_calls")],
    },
  ])("$what are left out in Gemini, with a warning", ({ events }) => {
    const { body, warnings } = bodyOf("gemini", events);
    expect(read(body, "candidates", 0, "content", "parts")).toEqual([]);
    expect(warnings).toEqual(["toolCalls"]);
    const stream = writeStream("gemini", events);
    expect(stream.frames).toHaveLength(1);
    expect(stream.warnings.map(({ field }) => field)).toEqual(["toolCalls"]);
  });

  it("that are open at an error stay open in a stream of Messages", () => {
    const { frames } = writeStream("anthropic-messages", [...cut.slice(0, -1), finish("error_termination")]);
    const types = payloadsOf(frames).map(({ type }) => type);
    expect(types).toEqual(["message_start", "content_block_start", "content_block_delta", "error"]);
  });
});

describe("token counts", () => {
  const full = usage({
    inputTokens: 100,
    outputTokens: 50,
    cachedInputTokens: 30,
    cacheWriteTokens: 20,
    reasoningTokens: 10,
  });
  const early = usage({ inputTokens: 100, outputTokens: 1 });
  const CASES = [
    {
      dialect: "openai-chat",
      field: "usage",
      known: {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
        completion_tokens_details: { reasoning_tokens: 10 },
      },
      plain: { prompt_tokens: 100, completion_tokens: 1, total_tokens: 101 },
      none: undefined,
    },
    {
      dialect: "openai-responses",
      field: "usage",
      known: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
        output_tokens: 50,
        output_tokens_details: { reasoning_tokens: 10 },
        total_tokens: 150,
      },
      plain: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: 1,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 101,
      },
      none: null,
    },
    {
      dialect: "anthropic-messages",
      field: "usage",
      known: {
        input_tokens: 50,
        cache_creation_input_tokens: 20,
        cache_read_input_tokens: 30,
        output_tokens: 50,
        output_tokens_details: { thinking_tokens: 10 },
      },
      plain: {
        input_tokens: 100,
        cache_creation_input_tokens: null,
        cache_read_input_tokens: null,
        output_tokens: 1,
        output_tokens_details: null,
      },
      none: {
        input_tokens: 0,
        cache_creation_input_tokens: null,
        cache_read_input_tokens: null,
        output_tokens: 0,
        output_tokens_details: null,
      },
    },
    {
      dialect: "gemini",
      field: "usageMetadata",
      known: {
        promptTokenCount: 100,
        candidatesTokenCount: 40,
        cachedContentTokenCount: 30,
        thoughtsTokenCount: 10,
        totalTokenCount: 150,
      },
      plain: { promptTokenCount: 100, candidatesTokenCount: 1, totalTokenCount: 101 },
      none: undefined,
    },
  ] as const;

  it.each(CASES)("in $dialect count what the dialect counts, and the last ones hold", (row) => {
    const { dialect, field, known, plain, none } = row;
    const after = (...counts: GenerationEvent[]): unknown =>
      bodyOf(dialect, [start, text("a"), ...counts, done]).body[field];
    expect(after(early, full)).toEqual(known);
    expect(after(full, early)).toEqual(plain);
    expect(after()).toEqual(none);
  });

  it("stand in the first and the last event of Messages", () => {
    const { frames } = writeStream("anthropic-messages", [early, start, text("a"), full, done]);
    const payloads = payloadsOf(frames);
    expect(read(payloads[0], "message", "usage")).toMatchObject({ input_tokens: 100, output_tokens: 0 });
    expect(payloads.at(-2)).toMatchObject({ usage: { input_tokens: 50, output_tokens: 50 } });
  });

  it("come in a chunk of their own after the finish in Chat", () => {
    const payloads = payloadsOf(writeStream("openai-chat", [start, full, text("a"), done]).frames);
    expect(payloads.at(-2)).toMatchObject({ choices: [], usage: { total_tokens: 150 } });
    expect(payloads.at(-3)).toMatchObject({ choices: [{ finish_reason: "stop" }] });
    const without = payloadsOf(writeStream("openai-chat", [start, text("a"), done]).frames);
    expect(without.at(-2)).toMatchObject({ choices: [{ finish_reason: "stop" }] });
  });
});
