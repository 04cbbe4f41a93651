import { describe, expect, it } from "vitest";
import { createDetector } from "../../src/detect/index.ts";
import type { TerminationSignal } from "../../src/index.ts";
import { ANSWER_FORMATS } from "../../src/wire/index.ts";
import type { DecodeOptions, WireFormatName } from "../../src/wire/index.ts";
import { decodeChunks, tell } from "../support/answers.ts";
import {
  chatChunk,
  chatStream,
  chatWhole,
  dataEvents,
  geminiChunk,
  lines,
  messagesStream,
  messagesWhole,
  responsesStream,
  responsesWhole,
  toBytes,
} from "../support/wire-bodies.ts";

function signalOf(format: WireFormatName, body: string, options?: DecodeOptions): TerminationSignal {
  return tell(decodeChunks(ANSWER_FORMATS[format], [toBytes(body)], options)).signal;
}

const TRUNCATED = { reason: "error_termination", detail: "truncated" };
const NATURAL = { reason: "natural_completion" };

/** An answer of each dialect that ends in a value, where its dialect keeps it, and where it stands there. */
const PLACES: readonly (readonly [WireFormatName, field: string, body: (value: unknown) => string])[] = [
  [
    "openai-chat",
    "choices[0].finish_reason",
    (value) => chatStream(chatChunk({ content: "Hi" }, { finish_reason: value })),
  ],
  [
    "openai-chat",
    "choices[0].finish_reason",
    (value) => JSON.stringify(chatWhole({ content: "Hi" }, { finish_reason: value })),
  ],
  [
    "mistral-chat",
    "choices[0].finish_reason",
    (value) => JSON.stringify(chatWhole({ content: "Hi" }, { finish_reason: value })),
  ],
  [
    "openai-completions",
    "choices[0].finish_reason",
    (value) => dataEvents({ choices: [{ index: 0, text: "Hi", finish_reason: value }] }, "[DONE]"),
  ],
  ["openai-responses", "status", (value) => JSON.stringify(responsesWhole({ status: value }))],
  ["anthropic-messages", "delta.stop_reason", (value) => messagesStream({ stop_reason: value })],
  ["anthropic-messages", "stop_reason", (value) => JSON.stringify(messagesWhole({ stop_reason: value }))],
  ["gemini", "candidates[0].finishReason", (value) => JSON.stringify(geminiChunk({ finishReason: value }))],
  [
    "gemini-interactions",
    "status",
    (value) => JSON.stringify({ id: "i", object: "interaction", steps: [], status: value }),
  ],
  ["cohere-chat", "finish_reason", (value) => JSON.stringify({ id: "c", message: {}, finish_reason: value })],
  ["ollama-chat", "done_reason", (value) => lines({ model: "m", done: true, done_reason: value })],
  [
    "bedrock-converse",
    "stopReason",
    (value) => JSON.stringify({ output: { message: { content: [{ text: "Hi" }] } }, stopReason: value }),
  ],
];

describe("a finish value that is no word", () => {
  it.each(PLACES)("is kept in %s, in %s, and is never a success", (format, originalField, body) => {
    for (const value of [true, false, [], ["stop"], {}, { stop: true }]) {
      expect(signalOf(format, body(value))).toMatchObject({
        reason: "unknown",
        confidence: "low",
        shouldTerminate: true,
        providerSpecific: { originalField, originalValue: JSON.stringify(value) },
      });
    }
  });

  it.each(PLACES)("is a number in %s, in %s, that nobody knows", (format, originalField, body) => {
    expect(signalOf(format, body(77))).toMatchObject({
      reason: "unknown",
      confidence: "low",
      providerSpecific: { originalField, originalValue: "77" },
    });
  });

  it("does not take back a word, and gives way to one", () => {
    const end = (value: unknown): object => chatChunk({}, { finish_reason: value });
    for (const value of [false, {}, []]) {
      for (const chunks of [
        [end("stop"), end(value)],
        [end(value), end("stop")],
      ]) {
        const signal = signalOf("openai-chat", chatStream(...chunks));
        expect(signal).toMatchObject({ ...NATURAL, providerSpecific: { originalValue: "stop" } });
      }
    }
  });

  it("is not the end of a stream that was cut", () => {
    const running = chatChunk({ content: "Hi" }, { finish_reason: false });
    expect(signalOf("openai-chat", dataEvents(running))).toMatchObject(TRUNCATED);
    expect(createDetector().detectTermination(running, true)).toMatchObject({ shouldTerminate: false });
  });

  it("is bounded, and holds no key", () => {
    const value = ["sk-abcdefghijklmnopqrst", "x y ".repeat(10_000)];
    const { originalValue } = signalOf(
      "openai-chat",
      JSON.stringify(chatWhole({}, { finish_reason: value })),
    ).providerSpecific;
    expect(originalValue).toMatch(/^\["\[redacted\]","x y x y/u);
    expect(originalValue.length).toBeLessThan(110);
  });
});

describe("a number in the place of a word", () => {
  it("stays the number that was sent, and means what the word means", () => {
    const finishNumbers = { 3: "REASON_STOP" };
    const body = JSON.stringify(chatWhole({}, { finish_reason: 3 }));
    expect(signalOf("openai-chat", body, { finishNumbers })).toMatchObject({
      ...NATURAL,
      providerSpecific: { originalField: "choices[0].finish_reason", originalValue: "3" },
    });
  });
});

describe("the default of a protocol, which says nothing", () => {
  it.each([
    ["gemini", geminiChunk({ finishReason: "FINISH_REASON_UNSPECIFIED" })],
    ["openai-chat", chatChunk({ content: "Hi" }, { finish_reason: "REASON_INVALID" })],
    ["openai-chat", chatChunk({ content: "Hi" }, { finish_reason: "not_finished" })],
  ] as const)("is in %s not the end of a stream: %j", (format, chunk) => {
    expect(signalOf(format, dataEvents(chunk))).toMatchObject(TRUNCATED);
    expect(createDetector().detectTermination(chunk, true)).toMatchObject({
      shouldTerminate: false,
      detail: "in_progress",
    });
  });

  it.each(["BLOCK_REASON_UNSPECIFIED", "BLOCKED_REASON_UNSPECIFIED", "null", ""])(
    "does not make a good answer of Gemini one that was withheld: %j",
    (blockReason) => {
      const feedback = { promptFeedback: { blockReason } };
      const end = geminiChunk({ finishReason: "STOP" });
      const bodies = [
        JSON.stringify({ ...end, ...feedback }),
        dataEvents({ ...geminiChunk({}), ...feedback }, end),
        dataEvents(feedback, end),
        dataEvents(end, feedback),
      ];
      for (const body of bodies) expect(signalOf("gemini", body)).toMatchObject(NATURAL);
      expect(signalOf("gemini", dataEvents(feedback))).toMatchObject(TRUNCATED);
    },
  );

  it("is kept where it is all that was said", () => {
    const feedback = { promptFeedback: { blockReason: "BLOCK_REASON_UNSPECIFIED" } };
    expect(signalOf("gemini", JSON.stringify(feedback))).toMatchObject({
      reason: "unknown",
      confidence: "low",
      providerSpecific: { originalField: "promptFeedback.blockReason", originalValue: "BLOCK_REASON_UNSPECIFIED" },
    });
  });

  it("is no other word for a prompt that was blocked", () => {
    const blocked = (blockReason: string): TerminationSignal =>
      signalOf("gemini", JSON.stringify({ promptFeedback: { blockReason } }));
    expect(blocked("SAFETY")).toMatchObject({ reason: "content_filtered", detail: "prompt" });
    expect(blocked("A_NEW_WORD")).toMatchObject({ reason: "content_filtered", detail: "prompt" });
    expect(blocked("x".repeat(1_000)).providerSpecific.originalValue.length).toBeLessThan(110);
  });
});

describe("the status of a response that was not brought up to date", () => {
  it.each([
    ["response.completed", "in_progress", "natural_completion"],
    ["response.completed", undefined, "natural_completion"],
    ["response.incomplete", "in_progress", "token_limit_reached"],
    ["response.done", undefined, "natural_completion"],
  ])("leaves the word to the event %s, status %s", (type, status, reason) => {
    expect(signalOf("openai-responses", responsesStream(type, { status }))).toMatchObject({
      reason,
      providerSpecific: { originalField: "type", originalValue: type },
    });
  });
});
