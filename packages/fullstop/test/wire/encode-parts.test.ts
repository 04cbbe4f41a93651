import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../src/index.ts";
import { foldStream } from "../support/fold.ts";
import {
  DIALECTS,
  ENCODERS,
  callDelta,
  callEnd,
  callStart,
  finish,
  opaque,
  payloadsOf,
  read,
  reasoning,
  start,
  text,
  usage,
  writeStream,
  writeWhole,
} from "../support/official.ts";

const done = finish("natural_completion");

describe("a part that only its own provider understands", () => {
  const search = { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "news" } };
  const code = { executableCode: { language: "PYTHON", code: "1+1" } };
  const hosted = { type: "web_search_call", id: "ws_1", status: "completed" };
  const around = (format: string, value: unknown): GenerationEvent[] => [
    start,
    text("a"),
    opaque(format, value),
    text("b"),
    finish("paused"),
  ];

  it("is a block, an item or a part of its own dialect, in its place", () => {
    const messages = around("anthropic-messages", search);
    const content = writeWhole("anthropic-messages", messages).body["content"];
    expect(content).toMatchObject([{ text: "a" }, search, { text: "b" }]);
    const payloads = payloadsOf(writeStream("anthropic-messages", messages).frames);
    expect(payloads.slice(4, 6)).toEqual([
      { type: "content_block_start", index: 1, content_block: search },
      { type: "content_block_stop", index: 1 },
    ]);
    const responses = around("openai-responses", hosted);
    const { output } = writeWhole("openai-responses", responses).body;
    expect(output).toMatchObject([{ type: "message" }, hosted, { type: "message" }]);
    expect(read(output, 1)).toEqual(hosted);
    const items = payloadsOf(writeStream("openai-responses", responses).frames).filter(
      (payload) => payload["output_index"] === 1,
    );
    expect(items).toMatchObject([
      { type: "response.output_item.added", item: hosted },
      { type: "response.output_item.done", item: hosted },
    ]);
    const parts = read(writeWhole("gemini", around("gemini", code)).body, "candidates", 0, "content", "parts");
    expect(parts).toEqual([{ text: "a" }, code, { text: "b" }]);
    const chunk = payloadsOf(writeStream("gemini", around("gemini", code)).frames)[1];
    expect(read(chunk, "candidates", 0, "content", "parts")).toEqual([code]);
  });

  it("waits in Messages for the call that is open", () => {
    const events = [start, callStart("a", "f"), opaque("anthropic-messages", search), callEnd("a"), done];
    const payloads = payloadsOf(writeStream("anthropic-messages", events).frames);
    expect(payloads.map(({ type, index }) => [type, index]).slice(1, -2)).toEqual([
      ["content_block_start", 0],
      ["content_block_delta", 0],
      ["content_block_stop", 0],
      ["content_block_start", 1],
      ["content_block_stop", 1],
    ]);
  });

  it.each(DIALECTS)("is left out of %s with a warning when it is another's or no object", (dialect) => {
    for (const event of [opaque("somebody-else", search), opaque(dialect, "text"), opaque("openai-chat", search)]) {
      const events = [start, text("a"), event, text("b"), finish("natural_completion")];
      const without = events.filter((one) => one !== event);
      const { frames, warnings } = writeStream(dialect, events);
      expect(warnings.map(({ field }) => field)).toEqual(["opaque"]);
      if (dialect !== "openai-chat") expect(frames).toEqual(writeStream(dialect, without).frames);
      const whole = writeWhole(dialect, events);
      expect(whole).toEqual({ ...writeWhole(dialect, without), warnings: ["opaque"] });
    }
  });
});

describe("a character in two pieces", () => {
  const halves = ["a\ud83d", "\ude00b"] as const;

  it.each(DIALECTS)("is whole in %s, in text, thinking and arguments", (dialect) => {
    const [first, second] = halves;
    const events = [
      start,
      reasoning(first),
      reasoning(second),
      text(first),
      text(second),
      callStart("c", "f"),
      callDelta("c", `{"x":"${first}`),
      callDelta("c", `${second}"}`),
      callEnd("c"),
      finish("tool_calls"),
    ];
    const { frames } = writeStream(dialect, events);
    expect(frames.join("")).not.toMatch(/\\ud[89a-f]/u);
    expect(frames.join("").match(/\u{1f600}b/gu)?.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(ENCODERS[dialect].response(events).body)).not.toMatch(/\\ud[89a-f]/u);
  });

  it.each(DIALECTS)("of which the second never comes is replaced in %s", (dialect) => {
    const half = "\ud83d";
    const events = [
      start,
      text(half),
      reasoning(half),
      text(half),
      callStart("c", "f"),
      callDelta("c", half),
      finish("token_limit_reached"),
    ];
    const { frames } = writeStream(dialect, events);
    expect(frames.join("")).not.toMatch(/\\ud[89a-f]/u);
    expect(frames.join("").match(/\ufffd/gu)?.length).toBeGreaterThanOrEqual(3);
    const last = writeStream(dialect, [start, text(half), finish("token_limit_reached")]);
    expect(last.frames.join("")).toContain("\ufffd");
  });

  it.each([
    { what: "is cut", rest: [] },
    { what: "is taken over", rest: [callStart("c", "g")] },
    { what: "ends", rest: [callEnd("c")] },
  ])("is replaced in a call that $what", ({ rest }) => {
    const events = [start, callStart("c", "f"), callDelta("c", "x\ud83d"), ...rest, finish("token_limit_reached")];
    for (const dialect of ["openai-chat", "openai-responses", "anthropic-messages"] as const) {
      const { calls } = foldStream(dialect, writeStream(dialect, events).frames);
      expect(calls[0]?.input).toBe("x\ufffd");
    }
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
      writeWhole(dialect, [start, text("a"), ...counts, done]).body[field];
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
    const unasked = writeStream("openai-chat", [start, full, text("a"), done], { includeUsage: false });
    expect(payloadsOf(unasked.frames)).toEqual(payloads.filter(({ usage: counts }) => counts === undefined));
    expect(unasked.warnings).toEqual([]);
    const asked = writeStream("openai-chat", [start, full, text("a"), done], { includeUsage: true });
    expect(payloadsOf(asked.frames)).toEqual(payloads);
    const without = payloadsOf(writeStream("openai-chat", [start, text("a"), done]).frames);
    expect(without.at(-2)).toMatchObject({ choices: [{ finish_reason: "stop" }] });
  });
});
