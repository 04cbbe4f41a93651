import { describe, expect, it } from "vitest";
import { createDetector, createDetectorRegistry, recogniseFormat } from "../../src/detect/index.ts";
import { ANSWER_FORMATS } from "../../src/wire/index.ts";
import type { WireFormatName } from "../../src/wire/index.ts";
import { readRecorded } from "../support/recorded.ts";
import { chatCall, chatChunk, chatWhole, geminiChunk, messagesWhole, responsesWhole } from "../support/wire-bodies.ts";

const wholes: readonly (readonly [provider: string, format: WireFormatName, body: unknown, reason: string])[] = [
  ["openai", "openai-chat", chatWhole({}, { finish_reason: "length" }), "token_limit_reached"],
  ["openai", "openai-responses", responsesWhole({ status: "completed" }), "natural_completion"],
  ["xai", "openai-chat", chatWhole({}, { finish_reason: 2 }), "context_window_exceeded"],
  ["anthropic", "anthropic-messages", messagesWhole({ stop_reason: "pause_turn" }), "paused"],
  ["google", "gemini", geminiChunk({ finishReason: "RECITATION" }), "content_filtered"],
  ["google", "gemini-interactions", { object: "interaction", status: "incomplete" }, "token_limit_reached"],
  ["cohere", "cohere-chat", { message: { content: [] }, finish_reason: "TIMEOUT" }, "budget_exceeded"],
  ["ollama", "ollama-chat", { model: "m", done: true, done_reason: "length" }, "token_limit_reached"],
  ["bedrock", "bedrock-converse", { output: { message: {} }, stopReason: "tool_use" }, "tool_calls"],
  ["llamacpp", "openai-completions", { content: "", stop: true, stop_type: "word" }, "stop_sequence"],
  ["mistral", "mistral-chat", chatWhole({}, { finish_reason: "model_length" }), "context_window_exceeded"],
];

describe("a detector", () => {
  const registry = createDetectorRegistry();

  it.each(wholes)("for %s reads a whole answer in %s", (provider, format, body, reason) => {
    expect(registry.detectTermination(provider, body, false)).toMatchObject({ reason, shouldTerminate: true });
    expect(registry.get(provider).extractTerminationContext(body).format).toBe(format);
  });

  it("goes by the shape of the answer where nobody knows the provider", () => {
    for (const [, format, body, reason] of wholes) {
      if (format === "mistral-chat" || reason === "context_window_exceeded") continue;
      expect(recogniseFormat(body)).toBe(format);
      expect(registry.detectTermination("somebody-new", body, false).reason).toBe(reason);
    }
    expect(registry.detectTermination("somebody-new", { hello: 1 }, false)).toMatchObject({
      reason: "unknown",
      confidence: "low",
    });
    expect(registry.detectTermination("somebody-new", "not an object", false).reason).toBe("unknown");
  });

  it("says of a chunk that ends nothing that the answer goes on", () => {
    const signal = createDetector().detectTermination(chatChunk({ content: "Hi" }), true);
    expect(signal).toMatchObject({
      reason: "unknown",
      detail: "in_progress",
      confidence: "low",
      shouldTerminate: false,
    });
    expect(createDetector().validateTerminationSignal(signal)).toBe(true);
  });

  it("reads the end off the chunk that has it", () => {
    const chunk = chatChunk({}, { finish_reason: "content_filter" });
    expect(createDetector().detectTermination(chunk, true)).toMatchObject({
      reason: "content_filtered",
      shouldTerminate: true,
    });
    const calls = chatChunk({}, { finish_reason: "tool_calls" });
    expect(createDetector().detectTermination(calls, true)).toMatchObject({ reason: "tool_calls", confidence: "high" });
    const event = { type: "message_delta", delta: { stop_reason: "max_tokens" } };
    expect(createDetector().detectTermination(event, true).reason).toBe("token_limit_reached");
    expect(createDetector().detectTermination({ error: { message: "no", code: 429 } }, true)).toMatchObject({
      reason: "error_termination",
      detail: "rate_limited",
    });
  });

  it("tells what else the answer shows", () => {
    const body = chatWhole(
      { reasoning_content: "Hm", tool_calls: [chatCall("{}"), { ...chatCall('{"a":', "sub", "call_2"), index: 1 }] },
      { finish_reason: "length" },
      { usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } },
    );
    expect(createDetector().extractTerminationContext(body)).toEqual({
      format: "openai-chat",
      id: "chat_1",
      model: "m",
      hasText: true,
      hasReasoning: true,
      toolCalls: 2,
      completeToolCalls: 1,
      usage: { inputTokens: 3, outputTokens: 4 },
      metadata: {
        id: "chat_1",
        model: "m",
        object: "chat.completion",
        created: 1,
        usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      },
    });
  });

  it("keeps neither content nor keys nor much of anything", () => {
    const secret = "sk-abcdefghijklmnopqrstuvwxyz";
    const body = {
      ...chatWhole({ content: "private words" }, { finish_reason: "stop" }),
      system_fingerprint: secret,
      authorization: `Bearer ${secret}`,
      prompt: "private words",
      usage: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`count_${index}`, index])),
      provider: "a sentence of private words",
    };
    const error = { error: { message: `Incorrect API key provided: ${secret}. ${"x".repeat(5_000)}`, type: "auth" } };
    for (const response of [body, error]) {
      const kept = JSON.stringify(createDetector().detectTermination(response, false));
      expect(kept).not.toContain("private words");
      expect(kept).not.toContain(secret);
      expect(kept.length).toBeLessThan(2_000);
    }
    expect(createDetector().detectTermination(error, false).message).toContain("[redacted]");
  });

  it.each([
    "0123456789abcdef0123456789abcdef",
    "fw_abcdefghijklmnop",
    "pplx-abcdefghijklmnop",
    "gsk_abcdefghijklmnopqrst",
    "xai-abcdefghijklmnopqrst",
    "Basic dXNlcjpwYXNz",
    "https://user:password@example.org",
    "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
  ])("keeps no %s", (secret) => {
    // A run of hexadecimal digits may be the id of an answer, but not the name of a model.
    const field = /^[\da-f]+$/.test(secret) ? {} : { model: secret, system_fingerprint: secret };
    const body = { ...field, error: { message: `The key ${secret} is wrong`, type: secret } };
    const kept = JSON.stringify(createDetector().detectTermination(body, false));
    expect(kept).not.toContain(secret);
  });

  it("takes a signal for valid only if it makes sense", () => {
    const detector = createDetector();
    const signal = detector.detectTermination(chatWhole({}, { finish_reason: "stop" }), false);
    expect(detector.validateTerminationSignal(signal)).toBe(true);
    expect(detector.validateTerminationSignal({ ...signal, shouldTerminate: false })).toBe(false);
    expect(detector.validateTerminationSignal({ ...signal, reason: "tired" })).toBe(false);
    expect(detector.validateTerminationSignal(undefined)).toBe(false);
  });
});

const recorded = readRecorded();

describe("the shape of a recorded answer", () => {
  it("tells its dialect, unless it is an error that looks the same everywhere", () => {
    const wrong = recorded.filter(({ bytes, format, status, streaming }) => {
      if (streaming || status !== 200) return false;
      return recogniseFormat(JSON.parse(new TextDecoder().decode(bytes))) !== format;
    });
    expect(wrong.map(({ name }) => name)).toEqual([]);
    expect(Object.keys(ANSWER_FORMATS)).toEqual(expect.arrayContaining(recorded.map(({ format }) => format)));
  });
});
