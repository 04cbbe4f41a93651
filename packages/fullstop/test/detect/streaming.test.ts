import { describe, expect, it } from "vitest";
import { createStreamingTerminationHandler, decodeAnyStream } from "../../src/detect/index.ts";
import type { WireFormatName } from "../../src/wire/index.ts";
import { readRecorded } from "../support/recorded.ts";
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
