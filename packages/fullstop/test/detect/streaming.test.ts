import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStreamingTerminationHandler, decodeAnyStream, recogniseFormat } from "../../src/detect/index.ts";
import type { WireFormatName } from "../../src/wire/index.ts";
import { parseJson } from "../../src/wire/json.ts";
import { readRecorded } from "../support/recorded.ts";
import { same } from "../support/same.ts";
import { chatChunk, chatStream, dataEvents, geminiChunk, messagesStream, toBytes } from "../support/wire-bodies.ts";

const hello = chatChunk({ content: "Hello" });
const finish = chatChunk({}, { finish_reason: "length" });

describe("a streaming handler", () => {
  it("follows a stream of text to its end marker", () => {
    const handler = createStreamingTerminationHandler();
    expect(handler.processStreamChunk(dataEvents(hello), "openai")).toEqual({
      shouldContinue: true,
      bufferedContent: "Hello",
    });
    expect(handler.processStreamChunk(dataEvents(finish), "openai")).toMatchObject({ shouldContinue: true });
    const last = handler.processStreamChunk(dataEvents("[DONE]"), "openai");
    expect(last).toMatchObject({
      shouldContinue: false,
      bufferedContent: "Hello",
      termination: { reason: "token_limit_reached" },
    });
    expect(handler.finalizeStream("openai")).toEqual(last.termination);
  });

  it("takes bytes cut anywhere", () => {
    const bytes = toBytes(messagesStream({ stop_reason: "end_turn" }));
    const handler = createStreamingTerminationHandler();
    const progress = Array.from(bytes, (_, index) =>
      handler.processStreamChunk(bytes.subarray(index, index + 1), "anthropic@2023-06-01"),
    );
    expect(progress.at(-1)).toMatchObject({ shouldContinue: false, termination: { reason: "natural_completion" } });
  });

  it("takes text cut anywhere, also in the middle of a character", () => {
    const stream = chatStream(chatChunk({ content: " 🌍 " }), chatChunk({}, { finish_reason: "stop" }));
    const handler = createStreamingTerminationHandler();
    const last = stream.split("").reduce<unknown>((_, unit) => handler.processStreamChunk(unit, "openai"), undefined);
    expect(last).toEqual(createStreamingTerminationHandler().processStreamChunk(stream, "openai"));
    expect(last).toMatchObject({ bufferedContent: expect.stringContaining("🌍") as string });
  });

  it("counts half a character at the end of its stream", () => {
    const handler = createStreamingTerminationHandler();
    handler.processStreamChunk("<html>\ud83d", "openai");
    expect(handler.finalizeStream("openai")).toMatchObject({ reason: "error_termination" });
  });

  it("takes chunks that a client has parsed already", () => {
    const handler = createStreamingTerminationHandler();
    handler.processStreamChunk(geminiChunk({ finishReason: "STOP" }), "google");
    expect(handler.processStreamChunk(geminiChunk({ finishReason: "MAX_TOKENS" }, { text: " you" }), "google")).toEqual(
      {
        shouldContinue: true,
        bufferedContent: "Hello you",
      },
    );
    expect(handler.finalizeStream("google")).toMatchObject({ reason: "token_limit_reached" });
  });

  it("knows the numbers of the provider", () => {
    const handler = createStreamingTerminationHandler();
    handler.processStreamChunk(chatChunk({}, { finish_reason: 5 }), "xai");
    expect(handler.finalizeStream("xai")).toMatchObject({ reason: "budget_exceeded", detail: "deadline" });
  });

  it("calls a stream that ends without saying so cut", () => {
    const handler = createStreamingTerminationHandler();
    handler.processStreamChunk(hello, "openai");
    expect(handler.finalizeStream("openai")).toMatchObject({ reason: "error_termination", detail: "truncated" });
    expect(handler.finalizeStream("never-seen")).toMatchObject({ detail: "truncated" });
  });

  it("keeps the streams of several providers apart, and begins anew after each", () => {
    const handler = createStreamingTerminationHandler();
    handler.processStreamChunk(hello, "openai");
    handler.processStreamChunk(geminiChunk({}, { text: "Hi" }), "google");
    expect(handler.processStreamChunk(hello, "openai").bufferedContent).toBe("HelloHello");
    handler.finalizeStream("openai");
    expect(handler.processStreamChunk(hello, "openai").bufferedContent).toBe("Hello");
    handler.resetStreamState();
    expect(handler.processStreamChunk(hello, "openai").bufferedContent).toBe("Hello");
  });

  it("takes the last word of a stream that a client has parsed", () => {
    const handler = createStreamingTerminationHandler();
    handler.processStreamChunk(finish, "openai");
    expect(handler.processStreamChunk("[DONE]", "openai")).toMatchObject({
      termination: { reason: "token_limit_reached" },
    });
  });

  const stop = { reason: "natural_completion" };
  const piece = (text: string): object => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text },
  });
  const gemini = [geminiChunk({}, { text: "Hi" }), geminiChunk({ finishReason: "STOP" }, { text: " you" })];
  const chat = [chatChunk({ content: "Hi you" }), chatChunk({}, { finish_reason: "stop" })];
  const llama = [
    { content: "Hi", stop: false },
    { content: " you", stop: true, stop_type: "eos" },
  ];
  const sglang = [
    { text: "Hi", meta_info: { id: "1", finish_reason: null } },
    { text: "Hi you", meta_info: { id: "1", finish_reason: { type: "stop" } } },
  ];

  it.each<[string, string, readonly unknown[]]>([
    [
      "a ping",
      "nobody",
      [
        { type: "ping" },
        { type: "message_start", message: {} },
        piece("Hi you"),
        { type: "message_delta", delta: { stop_reason: "end_turn" } },
      ],
    ],
    ["null", "nobody", [null, ...chat]],
    ["null and a known provider", "openai", [null, ...chat]],
    ["nothing at all", "nobody", [undefined, {}, [], ...gemini]],
    ["an id and a version", "nobody", [{ responseId: "1", modelVersion: "m" }, ...gemini]],
    ["an id and a version from Google", "gemini", [{ responseId: "1", modelVersion: "m" }, ...gemini]],
    [
      "choices that are empty",
      "nobody",
      [
        { id: "", choices: [] },
        { object: "text_completion", choices: [{ text: "Hi you", index: 0, finish_reason: "stop" }] },
      ],
    ],
    ["an error that is none", "nobody", [{ id: "1", error: null }, ...chat]],
    ["many pings", "nobody", [...Array.from({ length: 500 }, () => ({ type: "ping" })), ...gemini]],
    ["a piece of llama.cpp's own route", "llama.cpp", llama],
    ["a piece of SGLang's own route", "sglang", sglang],
  ])("waits until a parsed chunk tells the dialect, and loses nothing before it: %s", (_first, provider, chunks) => {
    const handler = createStreamingTerminationHandler();
    const progress = chunks.map((chunk) => handler.processStreamChunk(chunk, provider));
    expect(progress.at(-1)?.bufferedContent).toBe("Hi you");
    expect(handler.finalizeStream(provider)).toMatchObject(stop);
  });

  it("keeps what came before the dialect was told", () => {
    const handler = createStreamingTerminationHandler();
    const counted = { choices: [], id: "c", usage: { prompt_tokens: 1, completion_tokens: 1 } };
    for (const chunk of [counted, { x_groq: { id: "r" } }, ...chat]) handler.processStreamChunk(chunk, "nobody");
    expect(handler.finalizeStream("nobody")).toMatchObject(stop);
  });

  it.each([
    ["an error", { error: { message: "Upstream failed" } }, { detail: "provider_error", message: "Upstream failed" }],
    ["an error of Google's", { error: { code: 503, status: "UNAVAILABLE" } }, { detail: "overloaded" }],
    ["an error event", { type: "error", error: { type: "overloaded_error" } }, { detail: "overloaded" }],
  ])("does not wait after %s", (_name, chunk, termination) => {
    const handler = createStreamingTerminationHandler();
    handler.processStreamChunk({ type: "ping" }, "nobody");
    expect(handler.processStreamChunk(chunk, "nobody")).toMatchObject({ shouldContinue: false, termination });
  });

  it("does not wait after the last word", () => {
    const handler = createStreamingTerminationHandler();
    handler.processStreamChunk({ type: "ping" }, "nobody");
    expect(handler.processStreamChunk("[DONE]", "nobody")).toMatchObject({
      shouldContinue: false,
      termination: { reason: "unknown", confidence: "low" },
    });
  });

  it("reads every recorded stream the same, whatever came before that tells nothing", () => {
    const streams = readRecorded().flatMap(({ bytes, streaming, status, format }) => {
      const lines = Buffer.from(bytes).toString().split(/\r?\n/u);
      const payloads = lines.filter((line) => line.startsWith("data:")).map((line) => parseJson(line.slice(5)));
      return streaming && status < 400 && payloads.some((value) => recogniseFormat(value) === format) ? [payloads] : [];
    });
    // Where there are no recorded ones, those that are written here.
    const written = [
      [hello, finish],
      [geminiChunk({}), geminiChunk({ finishReason: "STOP" })],
    ];
    const read = (chunks: readonly unknown[]): unknown => {
      const handler = createStreamingTerminationHandler();
      const progress = chunks.map((chunk) => handler.processStreamChunk(chunk, "nobody"));
      return [progress.at(-1)?.bufferedContent, handler.finalizeStream("nobody")];
    };
    const noise = fc.constantFrom(null, {}, [], 7, { type: "ping" }, { id: "1" }, { responseId: "1" });
    fc.assert(
      fc.property(
        fc.constantFrom<readonly unknown[]>(...streams, ...written),
        fc.array(noise, { minLength: 1, maxLength: 20 }),
        (stream, before) => {
          same(read([...before, ...stream]), read(stream));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("keeps no more than a thousand chunks that tell nothing", () => {
    const handler = createStreamingTerminationHandler();
    for (let count = 0; count < 1_000; count++) handler.processStreamChunk({ type: "ping" }, "nobody");
    // From here on it is read as Chat Completions, which this is not.
    for (const chunk of gemini) handler.processStreamChunk(chunk, "nobody");
    expect(handler.finalizeStream("nobody")).toMatchObject({ detail: "truncated" });
  });

  it("follows one stream under all names of its provider", () => {
    const handler = createStreamingTerminationHandler();
    for (const [index, chunk] of gemini.entries()) handler.processStreamChunk(chunk, ["gemini", "Google"][index]!);
    expect(handler.finalizeStream("google")).toMatchObject(stop);
    const numbered = chatChunk({}, { finish_reason: 5 });
    handler.processStreamChunk(numbered, "grok");
    expect(handler.finalizeStream("grok")).toMatchObject({ reason: "budget_exceeded" });
  });

  it("refuses a stream that changes its form", () => {
    const handler = createStreamingTerminationHandler();
    handler.processStreamChunk(hello, "openai");
    expect(() => handler.processStreamChunk("data: {}", "openai")).toThrow(
      'chunk must be parsed like the first one of its stream, got "bytes"',
    );
  });
});

/** What a stage of no particular dialect makes of a body, and which dialect it settles on. */
function readAny(chunks: Iterable<Uint8Array>, fallback?: WireFormatName): { format: unknown; events: unknown[] } {
  const events: unknown[] = [];
  let format: unknown;
  const stage = decodeAnyStream({ fallback, onFormat: (name) => (format = name) });
  const sink = stage({ push: (event) => void events.push(event), end: () => undefined });
  for (const chunk of chunks) sink.push(chunk);
  sink.end();
  return { format, events };
}

describe("a stream of an unknown dialect", () => {
  it("is recognised by its first event, and nothing before that is lost", () => {
    const bytes = toBytes(`: comment\n\n${chatStream(chatChunk({}, { finish_reason: "stop" }))}`);
    const whole = readAny([bytes]);
    expect(whole.format).toBe("openai-chat");
    expect(readAny(Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)))).toEqual(whole);
  });

  it("is recognised however large its first value is, and however it is cut", () => {
    const body = JSON.stringify({
      type: "message",
      content: [{ type: "text", text: "秋".repeat(1_700_000) }],
      stop_reason: "end_turn",
    });
    const bytes = toBytes(body);
    const whole = readAny([bytes]);
    expect(whole.format).toBe("anthropic-messages");
    const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
      bytes.subarray(index * 65_536, (index + 1) * 65_536),
    );
    expect(readAny(chunks)).toEqual(whole);
  });

  it("is not taken for another by a first event that proves little", () => {
    const azure = dataEvents(
      { id: "", choices: [], prompt_filter_results: [] },
      { object: "text_completion", choices: [{ text: "Hi", index: 0, finish_reason: "stop" }] },
      "[DONE]",
    );
    expect(readAny([toBytes(azure)]).format).toBe("openai-completions");
    const pinged = `event: ping\ndata: {"type":"ping"}\n\n${chatStream(chatChunk({}, { finish_reason: "stop" }))}`;
    expect(readAny([toBytes(pinged)]).format).toBe("openai-chat");
    expect(readAny([toBytes(dataEvents({ id: "", choices: [] }))]).format).toBe("openai-chat");
  });

  it("falls back to the dialect that was named, then to Chat Completions", () => {
    expect(readAny([toBytes("data: {}\n\n")], "gemini").format).toBe("gemini");
    expect(readAny([]).format).toBe("openai-chat");
  });

  it("is waited for in a bounded room, which does not depend on the cuts", () => {
    const pings = dataEvents({ type: "ping" }).repeat(60_000);
    const bytes = toBytes(pings + dataEvents(geminiChunk({ finishReason: "STOP" })));
    expect(bytes.length).toBeGreaterThan(1_048_576);
    const read = (chunks: Iterable<Uint8Array>, maxEventSize?: number): unknown => {
      let format: unknown;
      const stage = decodeAnyStream({ maxEventSize, onFormat: (name) => (format = name) });
      const sink = stage({ push: () => undefined, end: () => undefined });
      for (const chunk of chunks) sink.push(chunk);
      sink.end();
      return format;
    };
    const pieces = Array.from({ length: Math.ceil(bytes.length / 10_000) }, (_, index) =>
      bytes.subarray(index * 10_000, (index + 1) * 10_000),
    );
    expect([read([bytes], 1_000), read(pieces, 1_000)]).toEqual(["openai-chat", "openai-chat"]);
    expect([read([bytes]), read(pieces)]).toEqual(["gemini", "gemini"]);
  });

  it("does not need the memory of a chunk after it was pushed", () => {
    const stream = toBytes(chatStream(chatChunk({}, { finish_reason: "stop" })));
    const buffer = new Uint8Array(8);
    const chunks = (function* reuse(): Generator<Uint8Array> {
      for (let start = 0; start < stream.length; start += buffer.length) {
        const piece = stream.subarray(start, start + buffer.length);
        buffer.set(piece);
        yield buffer.subarray(0, piece.length);
      }
    })();
    expect(readAny(chunks)).toEqual(readAny([stream]));
  });

  const recorded = readRecorded();

  it("is recognised in every recorded stream that is one", () => {
    const streams = recorded.filter(({ streaming, expected }) => streaming && expected.reason !== "error_termination");
    const wrong = streams.filter(({ bytes, format }) => readAny([bytes]).format !== format);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});
