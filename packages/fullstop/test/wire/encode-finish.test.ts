import { describe, expect, it } from "vitest";
import { truncatedSignal } from "../../src/index.ts";
import type { TerminationReason } from "../../src/index.ts";
import type { EncodedResponse } from "../../src/wire/format.ts";
import {
  DIALECTS,
  DONE,
  ENCODERS,
  finish,
  payloadsOf,
  read,
  readList,
  start,
  text,
  writeStream,
} from "../support/official.ts";
import type { Dialect } from "../support/official.ts";

type Row = Readonly<Record<Dialect, unknown>> & { readonly lossy: readonly Dialect[] };

const EVERYWHERE: readonly Dialect[] = DIALECTS;

/** How every reason reads in every dialect, and where the word alone says less than the reason. */
const WORDS: Readonly<Record<TerminationReason, Row>> = {
  natural_completion: {
    "openai-chat": "stop",
    "openai-responses": ["completed", undefined],
    "anthropic-messages": "end_turn",
    gemini: "STOP",
    lossy: [],
  },
  stop_sequence: {
    "openai-chat": "stop",
    "openai-responses": ["completed", undefined],
    "anthropic-messages": "stop_sequence",
    gemini: "STOP",
    lossy: ["openai-chat", "openai-responses", "gemini"],
  },
  token_limit_reached: {
    "openai-chat": "length",
    "openai-responses": ["incomplete", "max_output_tokens"],
    "anthropic-messages": "max_tokens",
    gemini: "MAX_TOKENS",
    lossy: [],
  },
  context_window_exceeded: {
    "openai-chat": "length",
    "openai-responses": ["incomplete", "max_output_tokens"],
    "anthropic-messages": "model_context_window_exceeded",
    gemini: "MAX_TOKENS",
    lossy: ["openai-chat", "openai-responses", "gemini"],
  },
  tool_calls: {
    "openai-chat": "tool_calls",
    "openai-responses": ["completed", undefined],
    "anthropic-messages": "tool_use",
    gemini: "STOP",
    lossy: [],
  },
  content_filtered: {
    "openai-chat": "content_filter",
    "openai-responses": ["incomplete", "content_filter"],
    "anthropic-messages": "refusal",
    gemini: "SAFETY",
    lossy: [],
  },
  paused: {
    "openai-chat": "length",
    "openai-responses": ["incomplete", "steered"],
    "anthropic-messages": "pause_turn",
    gemini: "CONTINUATION",
    lossy: ["openai-chat"],
  },
  repetition_detected: {
    "openai-chat": "length",
    "openai-responses": ["incomplete", "max_output_tokens"],
    "anthropic-messages": "max_tokens",
    gemini: "MAX_TOKENS",
    lossy: EVERYWHERE,
  },
  budget_exceeded: {
    "openai-chat": "length",
    "openai-responses": ["incomplete", "max_output_tokens"],
    "anthropic-messages": "max_tokens",
    gemini: "MAX_TOKENS",
    lossy: EVERYWHERE,
  },
  cancelled: {
    "openai-chat": "stop",
    "openai-responses": ["cancelled", "cancelled"],
    "anthropic-messages": "end_turn",
    gemini: "OTHER",
    lossy: ["openai-chat", "anthropic-messages", "gemini"],
  },
  error_termination: {
    "openai-chat": "error",
    "openai-responses": ["failed", undefined],
    "anthropic-messages": "error",
    gemini: "error",
    lossy: [],
  },
  unknown: {
    "openai-chat": "length",
    "openai-responses": ["incomplete", "unknown"],
    "anthropic-messages": null,
    gemini: "OTHER",
    lossy: ["openai-chat", "anthropic-messages"],
  },
};

const CASES = Object.entries(WORDS).flatMap(([reason, row]) =>
  DIALECTS.map((dialect) => ({
    reason: reason as TerminationReason,
    dialect,
    word: row[dialect],
    isLossy: row.lossy.includes(dialect),
  })),
);

/** The finish value of a whole answer. */
function wordOf(dialect: Dialect, body: unknown): unknown {
  if (dialect === "openai-responses") return [read(body, "status"), read(body, "incomplete_details", "reason")];
  if (read(body, "error") !== undefined) return "error";
  if (dialect === "openai-chat") return read(body, "choices", 0, "finish_reason");
  return dialect === "gemini" ? read(body, "candidates", 0, "finishReason") : read(body, "stop_reason");
}

/** The signal beside the finish value. */
function signalOf(body: unknown): unknown {
  return read(body, "fullstop") ?? read(body, "error", "fullstop");
}

/** The finish value of a stream, in whichever of its last frames that stands, and the signal beside it. */
function endOf(dialect: Dialect, frames: readonly string[]): { readonly word: unknown; readonly signal: unknown } {
  const payloads = payloadsOf(frames);
  const last = payloads.at(-1);
  if (dialect === "openai-chat" && last === DONE) {
    const chunk = payloads.findLast((payload) => readList(payload, "choices").length > 0);
    return { word: wordOf(dialect, chunk), signal: signalOf(chunk) };
  }
  if (dialect === "anthropic-messages" && read(last, "type") === "message_stop") {
    return { word: read(payloads.at(-2), "delta", "stop_reason"), signal: signalOf(payloads.at(-2)) };
  }
  const body = dialect === "openai-responses" ? read(last, "response") : last;
  return { word: wordOf(dialect, body), signal: signalOf(body) };
}

describe("the finish", () => {
  it.each(CASES)("$reason is $word in $dialect, streaming", ({ reason, dialect, word, isLossy }) => {
    const ending = finish(reason);
    const { frames, ends, warnings } = writeStream(dialect, [start, text("a"), ending]);
    expect(endOf(dialect, frames)).toEqual({ word, signal: ending.signal });
    expect(ends).toBe(1);
    expect(warnings.map(({ field }) => field)).toEqual(isLossy ? ["finish"] : []);
  });

  it.each(CASES)("$reason is $word in $dialect, whole", ({ reason, dialect, word, isLossy }) => {
    const ending = finish(reason);
    const warnings: string[] = [];
    const { status, body } = ENCODERS[dialect].response([start, text("a"), ending], {
      onWarning: ({ field }) => void warnings.push(field),
    });
    expect(wordOf(dialect, body)).toEqual(word);
    expect(status).toBe(word === "error" ? 502 : 200);
    expect(signalOf(body)).toEqual(ending.signal);
    const expected = [...(isLossy ? ["finish"] : []), ...(word === "error" ? ["output"] : [])];
    expect(warnings).toEqual(expected);
  });

  it.each([
    { dialect: "openai-chat", warnings: ["finish"] },
    { dialect: "openai-responses", warnings: ["finish"] },
    { dialect: "anthropic-messages", warnings: [] },
    { dialect: "gemini", warnings: [] },
  ] as const)("warns of a refusal in $dialect if it has another place for one: $warnings", ({ dialect, warnings }) => {
    const events = [start, text("I cannot"), finish("content_filtered", { detail: "refusal" })];
    const { frames, warnings: told } = writeStream(dialect, events);
    expect(told.map(({ field }) => field)).toEqual(warnings);
    expect(endOf(dialect, frames).word).toEqual(WORDS.content_filtered[dialect]);
    const plain = [start, text("I cannot"), finish("content_filtered")];
    expect(writeStream(dialect, plain).warnings).toEqual([]);
  });

  it.each(
    DIALECTS.flatMap((dialect) =>
      ["shutdown", "owner_lost", "deadline", "aborted_by_provider", "user", "aborted", "new_message"].map((detail) => ({
        dialect,
        detail,
      })),
    ),
  )("does not read as whole in $dialect if nobody wanted it, and only then: $detail", ({ dialect, detail }) => {
    const isWanted = ["user", "aborted", "new_message"].includes(detail);
    const isOther = isWanted || dialect === "gemini";
    const events = [start, text("a"), finish("cancelled", { detail })];
    const word = (isOther ? WORDS.cancelled : WORDS.token_limit_reached)[dialect];
    expect(endOf(dialect, writeStream(dialect, events).frames).word).toEqual(word);
    expect(wordOf(dialect, ENCODERS[dialect].response(events).body)).toEqual(word);
  });

  it.each([
    ["openai-chat", "length"],
    ["openai-responses", ["incomplete", "max_output_tokens"]],
    ["anthropic-messages", "max_tokens"],
    ["gemini", "MALFORMED_FUNCTION_CALL"],
  ] as const)("is in %s no word at which clients run a call that is not whole", (dialect, word) => {
    const call = { type: "tool-call-start", callId: "c", name: "f" } as const;
    const cut = { type: "tool-call-delta", callId: "c", json: '{"x":' } as const;
    const ending = finish("tool_calls", { detail: "incomplete_arguments" });
    const events = [start, call, cut, ending];
    const { frames, warnings } = writeStream(dialect, events);
    expect(endOf(dialect, frames)).toEqual({ word, signal: ending.signal });
    expect(warnings.map(({ field }) => field)).toContain("finish");
    expect(wordOf(dialect, ENCODERS[dialect].response(events).body)).toEqual(word);
  });

  it.each(DIALECTS)("says in %s that a generation without one was cut", (dialect) => {
    const { frames, ends } = writeStream(dialect, [start, text("a")]);
    const { word, signal } = endOf(dialect, frames);
    expect(word).toEqual(WORDS.error_termination[dialect]);
    expect(signal).toEqual(truncatedSignal());
    expect(ends).toBe(1);
    const { body } = ENCODERS[dialect].response([start, text("a")]);
    expect(wordOf(dialect, body)).toEqual(WORDS.error_termination[dialect]);
  });

  it.each(DIALECTS)("comes once in %s, and nothing after it", (dialect) => {
    const events = [start, text("a"), finish("natural_completion")];
    const once = writeStream(dialect, events);
    expect(writeStream(dialect, [...events, text("b"), finish("cancelled"), start])).toEqual(once);
  });

  it("has the word in Messages for a conversation that was compacted", () => {
    const events = [start, finish("paused", { detail: "compaction" })];
    expect(endOf("anthropic-messages", writeStream("anthropic-messages", events).frames).word).toBe("compaction");
    expect(ENCODERS["anthropic-messages"].response(events).body["stop_reason"]).toBe("compaction");
  });

  it("names the matched stop string where there is a field for it", () => {
    const events = [start, finish("stop_sequence", { stopSequence: "</s>" })];
    const { frames } = writeStream("anthropic-messages", events);
    expect(payloadsOf(frames).at(-2)).toMatchObject({ delta: { stop_sequence: "</s>" } });
    expect(ENCODERS["anthropic-messages"].response(events).body).toMatchObject({ stop_sequence: "</s>" });
  });

  it.each([
    { parts: { detail: "recitation" }, reason: "content_filtered", word: "RECITATION" },
    { parts: { originalValue: "PROHIBITED_CONTENT" }, reason: "content_filtered", word: "PROHIBITED_CONTENT" },
    { parts: { originalValue: "JAILBREAK" }, reason: "content_filtered", word: "SAFETY" },
    { parts: { detail: "malformed_tool_call" }, reason: "error_termination", word: "MALFORMED_FUNCTION_CALL" },
    { parts: { originalValue: "TOO_MANY_TOOL_CALLS" }, reason: "error_termination", word: "TOO_MANY_TOOL_CALLS" },
    { parts: { originalValue: "PROHIBITED_CONTENT" }, reason: "error_termination", word: "error" },
  ] as const)("keeps Gemini's own word: $reason with $parts is $word", ({ parts, reason, word }) => {
    const events = [start, finish(reason, parts)];
    expect(endOf("gemini", writeStream("gemini", events).frames).word).toBe(word);
    expect(wordOf("gemini", ENCODERS.gemini.response(events).body)).toBe(word);
  });

  it.each(DIALECTS)("survives metadata in %s that JSON cannot hold", (dialect) => {
    const metadata: Record<string, unknown> = { big: 1n };
    metadata["self"] = metadata;
    const events = [start, text("a"), finish("cancelled", { metadata })];
    const { signal } = endOf(dialect, writeStream(dialect, events).frames);
    expect(signal).toMatchObject({ reason: "cancelled", providerSpecific: { originalValue: "cancelled" } });
    expect(() => JSON.stringify(ENCODERS[dialect].response(events).body)).not.toThrow();
  });
});

describe("an error", () => {
  const ERRORS = [
    { parts: { metadata: { status: 429 } }, status: 429, chat: "rate_limit_error", gemini: "RESOURCE_EXHAUSTED" },
    {
      parts: { metadata: { status: 401 } },
      status: 401,
      chat: "invalid_request_error",
      anthropic: "authentication_error",
      gemini: "UNAUTHENTICATED",
    },
    { parts: { metadata: { status: 403 } }, status: 403, chat: "permission_error", gemini: "PERMISSION_DENIED" },
    {
      parts: { metadata: { status: 404 } },
      status: 404,
      chat: "invalid_request_error",
      anthropic: "not_found_error",
      gemini: "NOT_FOUND",
    },
    {
      parts: { metadata: { status: 413 } },
      status: 413,
      chat: "invalid_request_error",
      anthropic: "request_too_large",
      gemini: "INVALID_ARGUMENT",
    },
    { parts: { metadata: { status: 400 } }, status: 400, chat: "invalid_request_error", gemini: "INVALID_ARGUMENT" },
    { parts: { metadata: { status: 422 } }, status: 422, chat: "invalid_request_error", gemini: "INVALID_ARGUMENT" },
    { parts: { metadata: { status: 503 } }, status: 503, chat: "overloaded_error", gemini: "UNAVAILABLE" },
    { parts: { metadata: { status: 529 } }, status: 529, chat: "overloaded_error", gemini: "UNAVAILABLE" },
    { parts: { metadata: { status: 500 } }, status: 500, chat: "server_error", gemini: "INTERNAL" },
    { parts: { metadata: { status: 200 } }, status: 502, chat: "server_error", gemini: "INTERNAL" },
    { parts: { metadata: { status: 600 } }, status: 502, chat: "server_error", gemini: "INTERNAL" },
    {
      parts: { originalValue: "overloaded_error" },
      status: 503,
      // Anthropic has a status of its own for it.
      anthropicStatus: 529,
      chat: "overloaded_error",
      gemini: "UNAVAILABLE",
    },
    { parts: { detail: "rate_limited" }, status: 429, chat: "rate_limit_error", gemini: "RESOURCE_EXHAUSTED" },
    { parts: { detail: "truncated" }, status: 502, chat: "server_error", gemini: "INTERNAL" },
  ];

  it.each(ERRORS)(
    "with $parts has status $status",
    ({
      parts,
      status,
      anthropicStatus = status,
      chat,
      anthropic = chat === "server_error" ? "api_error" : chat,
      gemini,
    }) => {
      const message = "No luck";
      const events = [start, finish("error_termination", { ...parts, message })];
      const whole = (dialect: Dialect): EncodedResponse => ENCODERS[dialect].response(events);
      expect(whole("openai-chat")).toMatchObject({ status, body: { error: { message, type: chat } } });
      expect(whole("openai-responses")).toEqual(whole("openai-chat"));
      expect(whole("gemini")).toMatchObject({ status, body: { error: { code: status, message, status: gemini } } });
      expect(whole("anthropic-messages")).toMatchObject({
        status: anthropicStatus,
        body: { type: "error", error: { type: anthropic, message } },
      });
      const begun = ENCODERS["openai-responses"].response([start, text("a"), ...events.slice(1)]);
      expect(begun).toMatchObject({ status: 200, body: { status: "failed", error: { message } } });
      for (const dialect of ["openai-chat", "anthropic-messages", "gemini"] as const) {
        const last = payloadsOf(writeStream(dialect, events).frames).at(-1);
        expect(last).toEqual(whole(dialect).body);
      }
    },
  );

  it.each([
    { parts: { detail: "authentication" }, code: "invalid_api_key", param: null },
    { parts: { detail: "rate_limited" }, code: "rate_limit_exceeded", param: null },
    { parts: { detail: "quota" }, code: "insufficient_quota", param: null },
    { parts: { detail: "context_window" }, code: "context_length_exceeded", param: null },
    { parts: { metadata: { code: "model_not_found", param: "model" } }, code: "model_not_found", param: "model" },
    { parts: { detail: "overloaded" }, code: "overloaded", param: null },
  ])("with $parts has OpenAI's own code $code", ({ parts, code, param }) => {
    const { body } = ENCODERS["openai-chat"].response([start, finish("error_termination", parts)]);
    expect(body).toMatchObject({ error: { code, param } });
  });

  it.each(DIALECTS)("as the only event does not claim in %s that an answer began", (dialect) => {
    const payloads = payloadsOf(writeStream(dialect, [finish("error_termination")]).frames);
    const types = payloads.map((payload) => payload["type"]);
    // The one exception: official clients of Responses refuse a stream that begins with anything else.
    const begun = ["response.created", "response.in_progress", "response.failed"];
    expect(types).toEqual(
      dialect === "openai-responses" ? begun : [dialect === "anthropic-messages" ? "error" : undefined],
    );
  });

  it.each(["openai-chat", "anthropic-messages", "gemini"] as const)("warns in %s of what it leaves out", (dialect) => {
    const warnings: string[] = [];
    const events = [
      start,
      text("half"),
      { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } } as const,
      finish("error_termination"),
    ];
    ENCODERS[dialect].response(events, { onWarning: ({ field }) => void warnings.push(field) });
    expect(warnings).toEqual(["output", "usage"]);
    expect(writeStream(dialect, events).warnings.map(({ field }) => field)).toEqual(["usage"]);
  });

  it("warns in Responses of counts that it leaves out", () => {
    const warnings: string[] = [];
    const counts = { type: "usage", usage: { inputTokens: 1, outputTokens: 0 } } as const;
    ENCODERS["openai-responses"].response([start, counts, finish("error_termination")], {
      onWarning: ({ field }) => void warnings.push(field),
    });
    expect(warnings).toEqual(["usage"]);
  });

  it("keeps in Responses what was generated before it", () => {
    const { body } = ENCODERS["openai-responses"].response([start, text("half"), finish("error_termination")]);
    expect(body["output"]).toMatchObject([{ status: "incomplete", content: [{ text: "half" }] }]);
  });
});
