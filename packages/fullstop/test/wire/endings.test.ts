import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANSWER_FORMATS } from "../../src/wire/index.ts";
import type { DecodeOptions, WireFormatName } from "../../src/wire/index.ts";
import { decodeChunks, tell } from "../support/answers.ts";
import type { Told } from "../support/answers.ts";
import { cutBytesAt } from "../support/cuts.ts";
import { same } from "../support/same.ts";
import {
  awsJsonFrame,
  chatCall,
  chatChunk,
  chatStream,
  chatWhole,
  converseEvent,
  dataEvents,
  geminiChunk,
  joinBytes,
  lines,
  messagesStream,
  namedEvents,
  responsesStream,
  responsesWhole,
  toBytes,
} from "../support/wire-bodies.ts";

function decode(format: WireFormatName, body: string | Uint8Array, options?: DecodeOptions): Told {
  const bytes = typeof body === "string" ? toBytes(body) : body;
  const told = tell(decodeChunks(ANSWER_FORMATS[format], [bytes], options));
  const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
  same(tell(decodeChunks(ANSWER_FORMATS[format], single, options)), told);
  return told;
}

const finish = (value: unknown): unknown => chatChunk({}, { finish_reason: value });
const hello = chatChunk({ role: "assistant", content: "Hello" });
const truncated = { reason: "error_termination", detail: "truncated" };

describe("an answer without a proper end", () => {
  it.each<[string, WireFormatName, string | Uint8Array]>([
    ["nothing at all", "openai-chat", ""],
    ["text and no finish", "openai-chat", dataEvents(hello)],
    ["half an event", "openai-chat", `${dataEvents(hello)}data: {"choices":[{"index":0,"delta":{},"finish_reas`],
    ["half a sentinel", "openai-chat", `${dataEvents(hello)}data: [DO`],
    ["half a document", "openai-chat", JSON.stringify(chatWhole({}, { finish_reason: "stop" })).slice(0, -3)],
    ["no terminal event", "openai-responses", responsesStream("response.in_progress", { status: "in_progress" })],
    [
      "no stop reason",
      "anthropic-messages",
      messagesStream({ stop_reason: "end_turn" }).split("event: message_delta")[0]!,
    ],
    ["no finish reason", "gemini", dataEvents(geminiChunk({}))],
    ["a list that was not closed", "gemini", `[${JSON.stringify(geminiChunk({}))},`],
    ["a list without a finish reason", "gemini", JSON.stringify([geminiChunk({}), geminiChunk({})])],
    ["no last line", "ollama-chat", lines({ model: "m", message: { content: "Hi" }, done: false })],
    ["half a frame", "bedrock-converse", converseEvent("messageStop", { stopReason: "end_turn" }).subarray(0, -2)],
    ["no stop frame", "bedrock-converse", converseEvent("messageStart", { role: "assistant" })],
    [
      "a status update only",
      "gemini-interactions",
      dataEvents({ event_type: "interaction.status_update", status: "in_progress" }),
    ],
    ["no message-end", "cohere-chat", namedEvents({ type: "message-start" })],
  ])("%s was cut", (_name, format, body) => {
    expect(decode(format, body).signal).toMatchObject(truncated);
  });

  it.each([
    { status: "cancelled", signal: { reason: "cancelled", confidence: "high" } },
    { status: "failed", signal: { reason: "error_termination" } },
    { status: "requires_action", signal: { reason: "tool_calls", confidence: "high" } },
    { status: "incomplete", signal: { reason: "token_limit_reached", confidence: "high" } },
    { status: "in_progress", signal: { reason: "unknown", confidence: "low" } },
    { status: "queued", signal: { reason: "unknown", confidence: "low" } },
  ])("knows an interaction that ends with the status $status", ({ status, signal }) => {
    const stream = dataEvents(
      { event_type: "interaction.created", interaction: { id: "i", status: "in_progress" } },
      { event_type: "step.start", index: 0, step: { type: "function_call", id: "c", name: "f", arguments: { a: 1 } } },
      { event_type: "step.stop", index: 0 },
      { event_type: "interaction.status_update", interaction_id: "i", status },
      "[DONE]",
    );
    expect(decode("gemini-interactions", stream).signal).toMatchObject(signal);
  });

  it("keeps a finish value that came before the cut", () => {
    const stream = messagesStream({ stop_reason: "end_turn" }).split("event: message_stop")[0]!;
    expect(decode("anthropic-messages", stream).signal).toMatchObject({
      reason: "natural_completion",
      confidence: "high",
      providerSpecific: { metadata: { endMarker: "missing" } },
    });
    expect(decode("openai-chat", dataEvents(hello, finish("length"))).signal.reason).toBe("token_limit_reached");
  });

  it("does not keep one that output has come after", () => {
    const code = geminiChunk({ finishReason: "STOP" }, { executableCode: { code: "1+1" } });
    const result = geminiChunk({}, { codeExecutionResult: { output: "2" } });
    const end = geminiChunk({ finishReason: "STOP" }, { text: "It is 2." });
    expect(decode("gemini", dataEvents(code)).signal).toMatchObject(truncated);
    expect(decode("gemini", dataEvents(code, result)).signal).toMatchObject(truncated);
    expect(decode("gemini", dataEvents(code, result, end)).signal).toMatchObject({ reason: "natural_completion" });
    const early = geminiChunk({ finishReason: "STOP" }, { text: "First" });
    expect(decode("gemini", dataEvents(early, geminiChunk({}, { text: "then" }))).signal).toMatchObject(truncated);
    expect(decode("gemini", dataEvents(early, end)).signal).toMatchObject({ confidence: "low" });
  });

  it("is unknown when it came to its end and did not say how", () => {
    expect(decode("openai-chat", chatStream()).signal).toMatchObject({
      reason: "unknown",
      confidence: "low",
      shouldTerminate: true,
      providerSpecific: { originalField: "sentinel", originalValue: "[DONE]" },
    });
    expect(decode("openai-chat", JSON.stringify(chatWhole({}, {}))).signal).toMatchObject({ reason: "unknown" });
    expect(decode("gemini", JSON.stringify(geminiChunk({}))).signal).toMatchObject({ reason: "unknown" });
    expect(decode("ollama-chat", lines({ model: "m", done: true })).signal).toMatchObject({ reason: "unknown" });
    expect(ANSWER_FORMATS["cohere-chat"].decodeResponse({ message: {} }).at(-1)).toMatchObject({
      signal: { reason: "unknown", confidence: "low" },
    });
  });

  it.each(["queued", "in_progress"])("is still being written while its status is %s", (status) => {
    expect(decode("openai-responses", JSON.stringify(responsesWhole({ status }))).signal).toMatchObject({
      reason: "unknown",
      detail: "in_progress",
      shouldTerminate: false,
    });
  });
});

describe("spellings of nothing", () => {
  it.each<[string, unknown]>([
    ["a key that is missing", chatChunk({}, { finish_reason: undefined })],
    ["null", finish(null)],
    ["an empty string", finish("")],
    ["the word null", finish("null")],
    ["a default of the protocol", finish("FINISH_REASON_UNSPECIFIED")],
    ["no choices", chatChunk({}, {}, { choices: [] })],
    ["no choices at all", chatChunk({}, {}, { choices: undefined })],
    ["a choice without a delta", chatChunk(undefined, { content_filter_results: {} })],
  ])("%s does not erase a value that came before", (_name, chunk) => {
    expect(decode("openai-chat", chatStream(finish("stop"), chunk)).signal).toMatchObject({
      reason: "natural_completion",
      providerSpecific: { originalValue: "stop" },
    });
  });

  it("leave the answer without an end when nothing else comes", () => {
    const absent = [finish(null), finish(""), finish("null"), chatChunk({}, {}, { choices: [] })];
    expect(decode("openai-chat", dataEvents(hello, ...absent)).signal).toMatchObject(truncated);
  });

  it("are not calls and not refusals", () => {
    const empty = chatChunk({ refusal: "", tool_calls: [], function_call: { name: "", arguments: "" } });
    const told = decode("openai-chat", chatStream(empty, finish("stop")));
    expect(told.toolCalls).toEqual([]);
    expect(told.signal.reason).toBe("natural_completion");
  });
});

describe("errors after the status said all was well", () => {
  const error = { message: "Overloaded", type: "overloaded_error" };
  const failed = { reason: "error_termination", detail: "overloaded", message: "Overloaded" };

  it.each<[string, WireFormatName, string | Uint8Array]>([
    [
      "an event named error",
      "anthropic-messages",
      `event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`,
    ],
    [
      "an event named error with the bare object",
      "anthropic-messages",
      `event: error\ndata: ${JSON.stringify(error)}\n\n`,
    ],
    ["a payload with an error", "openai-chat", dataEvents(hello, { error })],
    ["an error and then the sentinel", "openai-chat", chatStream({ error })],
    ["an error after a finish value", "openai-chat", chatStream(finish("stop"), { error })],
    ["an error beside empty choices", "openai-chat", chatStream({ id: "1", choices: [], error })],
    ["Groq's field", "openai-chat", chatStream(chatChunk({}, {}, { x_groq: { error } }))],
    [
      "a line",
      "ollama-chat",
      lines({ model: "m", message: { content: "Hi" }, done: false }, { error: "Overloaded", error_type: "overloaded" }),
    ],
    [
      "an exception frame",
      "bedrock-converse",
      joinBytes(
        converseEvent("messageStart", { role: "assistant" }),
        awsJsonFrame(
          { ":message-type": "exception", ":exception-type": "serviceUnavailableException" },
          { message: "Overloaded" },
        ),
      ),
    ],
    [
      "bare JSON in mid-stream",
      "gemini",
      `${dataEvents(geminiChunk({ finishReason: "STOP" }))}${JSON.stringify({ error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } }, undefined, 2)}`,
    ],
    [
      "a flat error event",
      "openai-responses",
      namedEvents({ type: "error", code: "server_overloaded", message: "Overloaded" } as { type: string }),
    ],
    [
      "a failed response",
      "openai-responses",
      responsesStream("response.failed", { status: "failed", error: { code: "overloaded", message: "Overloaded" } }),
    ],
  ])("%s", (_name, format, body) => {
    expect(decode(format, body).signal).toMatchObject(failed);
  });

  it("a choice that ends in an error", () => {
    expect(decode("openai-chat", chatStream(finish("error"))).signal).toMatchObject({ reason: "error_termination" });
  });

  it("text where the error should be", () => {
    expect(decode("openai-chat", `${dataEvents(hello)}event: error\ndata: it broke\n\n`).signal).toMatchObject({
      reason: "error_termination",
      message: "it broke",
    });
  });

  it("keeps what came before", () => {
    expect(decode("openai-chat", dataEvents(hello, { error })).text).toBe("Hello");
  });

  it("do not undo an end that was marked", () => {
    const stream = messagesStream({ stop_reason: "end_turn" }) + `event: error\ndata: ${JSON.stringify({ error })}\n\n`;
    expect(decode("anthropic-messages", stream).signal.reason).toBe("natural_completion");
    expect(decode("openai-chat", chatStream(finish("stop")) + dataEvents({ error })).signal.reason).toBe(
      "natural_completion",
    );
  });
});

describe("bodies that are not what was asked for", () => {
  it("a document where a stream was expected", () => {
    const told = decode(
      "openai-chat",
      `\n\n  ${JSON.stringify(chatWhole({}, { finish_reason: "stop" }), undefined, 2)}\n`,
    );
    expect(told).toMatchObject({ text: "Hello", signal: { reason: "natural_completion" } });
  });

  it("a list where a stream was expected", () => {
    const list = JSON.stringify(
      [geminiChunk({}), geminiChunk({ finishReason: "STOP" }, { text: " you" })],
      undefined,
      2,
    );
    expect(decode("gemini", list)).toMatchObject({ text: "Hello you", signal: { reason: "natural_completion" } });
    expect(tell(ANSWER_FORMATS.gemini.decodeResponse(JSON.parse(list)))).toMatchObject({ text: "Hello you" });
  });

  it("a web page", () => {
    const page = "<!DOCTYPE html><html><title>502 Bad Gateway</title>";
    expect(decode("openai-chat", page).signal).toMatchObject({
      reason: "error_termination",
      detail: "not_an_answer",
      message: "The server answered with a web page: 502 Bad Gateway",
    });
  });

  it.each([
    [429, "rate_limited"],
    [401, "authentication"],
    [404, "not_found"],
    [400, "invalid_request"],
    [500, "server_error"],
    [529, "overloaded"],
    [504, "timeout"],
  ])("an error of status %i, whatever its body", (status, detail) => {
    for (const body of [
      "",
      "{}",
      '{"detail":"no"}',
      "oops",
      '["a"]',
      JSON.stringify(chatWhole({}, { finish_reason: "stop" })),
    ]) {
      expect(decode("openai-chat", body, { status }).signal).toMatchObject({ reason: "error_termination", detail });
    }
    expect(tell(ANSWER_FORMATS["openai-chat"].decodeResponse({}, { status })).signal).toMatchObject({ detail });
  });

  it("a prompt that was blocked with a status", () => {
    const body = JSON.stringify({ error: { code: "content_filter", message: "Filtered", type: null } });
    expect(decode("openai-chat", body, { status: 400 }).signal).toMatchObject({ reason: "content_filtered" });
  });

  it("bytes after the end", () => {
    expect(decode("openai-chat", `${chatStream(finish("stop"))}${dataEvents(hello)}garbage`)).toMatchObject({
      text: "Hello",
      signal: { reason: "natural_completion" },
    });
  });

  it("a named sentinel", () => {
    const stream = `${dataEvents(hello, finish("stop"))}event: done\ndata: [DONE]\n\n`;
    expect(decode("openai-chat", stream).signal.providerSpecific.metadata).toBeUndefined();
  });

  it("an event that cannot be read, which is not a success", () => {
    const broken = `${dataEvents(hello)}data: {"choices": [{"delta": {"content": "lost\n\n${dataEvents(finish("stop"), "[DONE]")}`;
    expect(decode("openai-chat", broken).signal).toMatchObject({
      reason: "error_termination",
      detail: "malformed_event",
    });
  });

  it("a comment that a proxy made an event of", () => {
    const stream = `${dataEvents(hello)}data: : keep-alive\n\n${dataEvents(finish("stop"), "[DONE]")}`;
    expect(decode("openai-chat", stream).signal).toMatchObject({ reason: "natural_completion" });
  });

  it("an event beyond the limit", () => {
    const body = dataEvents(hello, { padding: "x".repeat(500) }, finish("stop"));
    expect(decode("openai-chat", body, { maxEventSize: 300 })).toMatchObject({
      text: "Hello",
      signal: { reason: "error_termination", detail: "event_too_large" },
    });
  });

  it("a frame whose checksum is wrong", () => {
    const frame = converseEvent("messageStop", { stopReason: "end_turn" });
    frame[40]! ^= 1;
    expect(decode("bedrock-converse", frame).signal).toMatchObject({
      reason: "error_termination",
      message: "A frame of the stream is damaged",
    });
  });
});

describe("finish values that disagree with the answer", () => {
  it("a limit, a filter and an error outrank tool calls", () => {
    for (const [value, reason] of [
      ["length", "token_limit_reached"],
      ["content_filter", "content_filtered"],
      ["error", "error_termination"],
      ["pause_turn", "paused"],
    ] as const) {
      const stream = chatStream(chatChunk({ tool_calls: [chatCall('{"a":1}')] }), finish(value));
      expect(decode("openai-chat", stream).signal.reason).toBe(reason);
    }
  });

  it("a cut call has no end, a whole one has", () => {
    const cut = chatStream(
      chatChunk({ tool_calls: [chatCall('{"a":1}'), { ...chatCall('{"b":', "sub", "call_2"), index: 1 }] }),
      finish("length"),
    );
    expect(decode("openai-chat", cut).toolCalls).toEqual([
      { name: "add", arguments: '{"a":1}', isEnded: true },
      { name: "sub", arguments: '{"b":', isEnded: false },
    ]);
    const empty = chatChunk({ tool_calls: [chatCall("")] });
    expect(decode("openai-chat", chatStream(empty, finish("length"))).toolCalls[0]?.isEnded).toBe(false);
    expect(decode("openai-chat", chatStream(empty, finish("tool_calls"))).toolCalls[0]?.isEnded).toBe(true);
  });

  it("two finish chunks count once, the last one", () => {
    const stream = chatStream(chatChunk({ tool_calls: [chatCall("{}")] }), finish("tool_calls"), finish("stop"));
    expect(decode("openai-chat", stream).signal).toMatchObject({ reason: "tool_calls", confidence: "high" });
  });

  it("tool calls that nobody made are doubtful", () => {
    expect(decode("openai-chat", chatStream(finish("tool_calls"))).signal).toMatchObject({
      reason: "tool_calls",
      confidence: "low",
    });
  });

  it("tools that the provider ran itself are not calls", () => {
    const content = [
      { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } },
      { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
    ];
    const body = { type: "message", id: "m", model: "m", content, stop_reason: "end_turn" };
    expect(decode("anthropic-messages", JSON.stringify(body))).toMatchObject({
      toolCalls: [],
      signal: { reason: "natural_completion" },
    });
    const hosted = responsesWhole({ status: "completed" }, { type: "mcp_call", name: "x", arguments: "{}" });
    expect(decode("openai-responses", JSON.stringify(hosted)).signal.reason).toBe("natural_completion");
  });

  it("text that comes with the finish value is kept", () => {
    const stream = chatStream(chatChunk({ content: " world" }, { finish_reason: "stop" }));
    expect(decode("openai-chat", stream).text).toBe("Hello world");
  });
});

describe("evidence that contradicts itself", () => {
  const error = { message: "Overloaded", type: "overloaded_error" };
  const told = {
    shouldTerminate: true,
    reason: "natural_completion",
    confidence: "high",
    providerSpecific: { originalField: "f", originalValue: "v" },
  };

  it("a cut inside an event after a value that may not be the last", () => {
    const stop = geminiChunk({ finishReason: "STOP" });
    expect(decode("gemini", `${dataEvents(stop)}data: {"candidates":[{"con`).signal).toMatchObject(truncated);
    expect(decode("gemini", `[${JSON.stringify(stop)},\n{"cand`).signal).toMatchObject(truncated);
    expect(decode("gemini", `[${JSON.stringify(stop)}`).signal).toMatchObject(truncated);
    expect(decode("gemini", `[${JSON.stringify(stop)}]`).signal).toMatchObject({ reason: "natural_completion" });
  });

  it("an error inside a choice", () => {
    const chunk = chatChunk({}, { finish_reason: "stop", error: { code: 502, message: "Bad gateway" } });
    expect(decode("openai-chat", chatStream(chunk)).signal).toMatchObject({
      reason: "error_termination",
      message: "Bad gateway",
    });
  });

  it("an empty error is none", () => {
    expect(decode("openai-chat", chatStream({ ...(finish("stop") as object), error: {} })).signal.reason).toBe(
      "natural_completion",
    );
  });

  it("an error after what another fullstop has said", () => {
    const said = { ...(finish("stop") as object), fullstop: told };
    expect(decode("openai-chat", chatStream(said)).signal).toMatchObject({ confidence: "high" });
    expect(decode("openai-chat", chatStream(said, { error })).signal).toMatchObject({ reason: "error_termination" });
    const early = { ...hello, fullstop: told };
    expect(decode("openai-chat", dataEvents(early, hello)).signal).toMatchObject(truncated);
  });

  it("what another fullstop has said is taken over without secrets and within bounds", () => {
    const metadata = { apiKey: "sk-abcdefghijklmnopqrstuvwxyz", note: "private words here", offset: 7 };
    const long = {
      ...told,
      message: "x".repeat(5_000),
      providerSpecific: { originalField: "f", originalValue: "v".repeat(5_000), metadata },
    };
    const { signal } = decode("openai-chat", chatStream({ ...(finish("stop") as object), fullstop: long }));
    expect(signal.providerSpecific.metadata).toEqual({ offset: 7 });
    expect(JSON.stringify(signal).length).toBeLessThan(700);
  });

  it("an event that cannot be read before a stop string", () => {
    const end = chatChunk({}, { finish_reason: "stop", stop_reason: "END" });
    for (const lost of [
      'data: {"choices": [{"delta": {"content": "lost\n\n',
      'data: "choices":[{"delta":{"content":"lost"}}]}\n\n',
    ]) {
      const stream = `${dataEvents(hello)}${lost}${dataEvents(end, "[DONE]")}`;
      expect(decode("openai-chat", stream).signal).toMatchObject({ detail: "malformed_event" });
    }
  });

  it("a router's error and the upstream's limit", () => {
    const chunk = chatChunk({}, { finish_reason: "error", native_finish_reason: "MAX_TOKENS" });
    expect(decode("openai-chat", chatStream(chunk)).signal.reason).toBe("error_termination");
    const fields = { status: "failed", incomplete_details: { reason: "max_output_tokens" } };
    expect(decode("openai-responses", responsesStream("response.failed", fields)).signal.reason).toBe(
      "error_termination",
    );
  });

  it("a last event whose status was not brought up to date", () => {
    expect(
      decode("openai-responses", responsesStream("response.completed", { status: "in_progress" })).signal,
    ).toMatchObject({
      reason: "natural_completion",
      shouldTerminate: true,
    });
  });

  it("an exception after the end", () => {
    const body = joinBytes(
      converseEvent("messageStop", { stopReason: "end_turn" }),
      awsJsonFrame(
        { ":message-type": "exception", ":exception-type": "throttlingException" },
        { message: "slow down" },
      ),
    );
    const { signal } = decode("bedrock-converse", body);
    expect(signal.reason).toBe("natural_completion");
    expect(signal.providerSpecific.metadata).toBeUndefined();
  });

  it("a pause that was followed by the rest", () => {
    const hop = (status: string): object => ({ event_type: "interaction.completed", interaction: { status } });
    const more = { event_type: "step.delta", index: 0, delta: { type: "text", text: "more" } };
    const stream = dataEvents(hop("requires_continuation"), more, hop("completed"), "[DONE]");
    expect(decode("gemini-interactions", stream).signal).toMatchObject({
      reason: "natural_completion",
      confidence: "high",
    });
  });

  it("a status of an interaction that was replaced", () => {
    const update = { event_type: "interaction.status_update", interaction_id: "i", status: "requires_action" };
    const end = { event_type: "interaction.completed", interaction: { status: "completed" } };
    expect(decode("gemini-interactions", dataEvents(update, end, "[DONE]")).signal).toMatchObject({
      reason: "natural_completion",
      confidence: "high",
    });
  });

  it("the same word again without its match", () => {
    const twice = messagesStream({ stop_reason: "stop_sequence", stop_sequence: "END" }).replace(
      "event: message_stop",
      `event: message_delta\ndata: ${JSON.stringify({ type: "message_delta", delta: { stop_reason: "stop_sequence", stop_sequence: null } })}\n\nevent: message_stop`,
    );
    expect(decode("anthropic-messages", twice).signal.stopSequence).toBe("END");
  });

  it("the upstream's word where a matched string should be", () => {
    const chunk = chatChunk({}, { finish_reason: "stop", stop_reason: "end_turn" });
    expect(decode("openai-chat", chatStream(chunk)).signal).toMatchObject({ reason: "natural_completion" });
    const object = chatChunk({}, { finish_reason: { type: "stop", matched: "END" } });
    expect(decode("openai-chat", chatStream(object)).signal).toMatchObject({
      reason: "stop_sequence",
      stopSequence: "END",
    });
  });

  it("a word and a sentence of Cohere's", () => {
    const end = (reason: string): string =>
      namedEvents({ type: "message-end", delta: { finish_reason: reason, error: "it took too long" } } as {
        type: string;
      });
    expect(decode("cohere-chat", end("TIMEOUT")).signal).toMatchObject({
      reason: "budget_exceeded",
      detail: "deadline",
    });
    expect(decode("cohere-chat", end("ERROR")).signal).toMatchObject({
      reason: "error_termination",
      message: "it took too long",
      providerSpecific: { originalValue: "ERROR" },
    });
  });

  it("a refusal that comes as an error", () => {
    const refusal = { error: { message: "no", metadata: { error_type: "refusal" } } };
    expect(decode("openai-chat", JSON.stringify(refusal), { status: 403 }).signal).toMatchObject({
      reason: "content_filtered",
      detail: "refusal",
    });
  });

  it("a finish word of any length", () => {
    const { signal } = decode("openai-chat", JSON.stringify(chatWhole({}, { finish_reason: "x".repeat(100_000) })));
    expect(signal.providerSpecific.originalValue.length).toBeLessThan(110);
    const key = decode("openai-chat", JSON.stringify({ error: { type: "sk-ant-abcdefghijklmnop", message: "no" } }), {
      status: 400,
    });
    expect(JSON.stringify(key)).not.toContain("abcdefghijklmnop");
  });
});

describe("whole answers without a finish value", () => {
  it.each<[WireFormatName, object]>([
    ["openai-chat", { object: "chat.completion", choices: [] }],
    ["openai-chat", { object: "chat.completion" }],
    ["openai-completions", { object: "text_completion", choices: [{ text: "Hi", index: 0, finish_reason: null }] }],
    ["gemini", geminiChunk({})],
  ])("are unknown in %s, by whichever door they come", (format, body) => {
    expect(decode(format, JSON.stringify(body)).signal).toMatchObject({ reason: "unknown", confidence: "low" });
    expect(tell(ANSWER_FORMATS[format].decodeResponse(body)).signal).toMatchObject({ reason: "unknown" });
  });

  it("are none of them when there are several", () => {
    expect(decode("gemini", lines(geminiChunk({}), geminiChunk({}))).signal).toMatchObject(truncated);
  });
});

describe("routes that are not a dialect of their own", () => {
  const whole = (body: object): Told => tell(ANSWER_FORMATS["openai-completions"].decodeResponse(body));
  const chunk = (text: string, reason: unknown): object => ({
    text,
    meta_info: { id: "1", finish_reason: reason, prompt_tokens: 3, completion_tokens: 2 },
  });

  it("SGLang's generate, which sends all of the text each time", () => {
    const stream = dataEvents(chunk("Hel", null), chunk("Hello", { type: "stop", matched: "END" }), "[DONE]");
    expect(decode("openai-completions", stream)).toMatchObject({
      text: "Hello",
      usage: { inputTokens: 3, outputTokens: 2 },
      signal: { reason: "stop_sequence", stopSequence: "END" },
    });
  });

  it("SGLang's generate, which tells the number of the model's own end", () => {
    const body = chunk("Hello", { type: "stop", matched: 128_009 });
    for (const { signal } of [decode("openai-completions", dataEvents(body, "[DONE]")), whole(body)]) {
      expect(signal).toMatchObject({ reason: "natural_completion", confidence: "medium" });
    }
  });

  it.each([
    [
      { status_code: 400, err_type: "BadRequestError" },
      { reason: "error_termination", detail: "invalid_request" },
    ],
    [
      { status_code: 503, err_type: null },
      { reason: "error_termination", detail: "overloaded" },
    ],
    [
      { status_code: null, err_type: null },
      { reason: "cancelled", confidence: "medium" },
    ],
  ])("SGLang's generate, which has one word for a stop and an error (%j)", (given, expected) => {
    const body = chunk("", { type: "abort", message: "It is over.", ...given });
    for (const { signal } of [decode("openai-completions", dataEvents(body, "[DONE]")), whole(body)]) {
      expect(signal).toMatchObject(expected);
      if (expected.reason === "error_termination") expect(signal.message).toBe("It is over.");
    }
  });

  it("a chat that is spoken", () => {
    const stream = chatStream(
      chatChunk({ audio: { id: "a", transcript: " there" } }),
      chatChunk({ audio: { expires_at: 1_700_000_000 } }, { finish_reason: undefined }),
    );
    expect(decode("openai-chat", stream)).toMatchObject({
      text: "Hello there",
      signal: { reason: "natural_completion" },
    });
  });
});

describe("token counts", () => {
  it("of xAI, which counts thinking apart", () => {
    const usage = {
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      completion_tokens_details: { reasoning_tokens: 94 },
    };
    expect(decode("openai-chat", JSON.stringify(chatWhole({}, { finish_reason: "stop" }, { usage }))).usage).toEqual({
      inputTokens: 32,
      outputTokens: 103,
      reasoningTokens: 94,
    });
  });

  it("inside a choice", () => {
    const usage = { prompt_tokens: 3, completion_tokens: 4 };
    expect(decode("openai-chat", chatStream(chatChunk({}, { finish_reason: "stop", usage }))).usage).toEqual({
      inputTokens: 3,
      outputTokens: 4,
    });
  });
});

describe("answers of many parts", () => {
  it("are read to the last one", () => {
    const texts = Array.from({ length: 60_000 }, (_, index) => ({ type: "output_text", text: `${index} ` }));
    const body = { object: "response", status: "completed", output: [{ type: "message", content: texts }] };
    expect(tell(ANSWER_FORMATS["openai-responses"].decodeResponse(body)).text.length).toBeGreaterThan(300_000);
  });
});

describe("several choices", () => {
  const pieces = [0, 1].map((index) => ({ index, delta: { content: `choice ${index}` }, finish_reason: null }));
  const ends = [0, 1].map((index) => ({ index, delta: {}, finish_reason: index === 0 ? "stop" : "length" }));
  const stream = dataEvents({ id: "c", choices: pieces }, { id: "c", choices: ends }, "[DONE]");

  it("are read one at a time, the first by default", () => {
    expect(decode("openai-chat", stream)).toMatchObject({ text: "choice 0", signal: { reason: "natural_completion" } });
    expect(decode("openai-chat", stream, { choice: 1 })).toMatchObject({
      text: "choice 1",
      signal: { reason: "token_limit_reached", providerSpecific: { originalField: "choices[1].finish_reason" } },
    });
  });
});

describe("output that is told more than once", () => {
  it("is passed on once, whichever event tells it", () => {
    const item = { type: "message", id: "msg_1", content: [{ type: "output_text", text: "Hello" }] };
    const call = { type: "function_call", call_id: "c1", name: "add", arguments: '{"a":1}' };
    const thought = { type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }], encrypted_content: "proof" };
    const events = [
      { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "Hel" },
      { type: "response.output_text.done", output_index: 1, content_index: 0, text: "Hello" },
      { type: "response.output_item.done", output_index: 1, item },
      { type: "response.output_item.added", output_index: 2, item: { ...call, arguments: "" } },
      { type: "response.function_call_arguments.delta", output_index: 2, delta: '{"a"' },
      { type: "response.function_call_arguments.done", output_index: 2, arguments: '{"a":1}' },
      { type: "response.output_item.done", output_index: 2, item: call },
      { type: "response.output_item.done", output_index: 0, item: thought },
    ];
    const end = { type: "response.completed", response: { status: "completed", output: [thought, item, call] } };
    const expected = {
      text: "Hello",
      reasoning: "Hm",
      toolCalls: [{ name: "add", arguments: '{"a":1}', isEnded: true }],
    };
    fc.assert(
      fc.property(fc.subarray(events.slice(0, 2)), fc.boolean(), (text, hasItems) => {
        const rest = hasItems ? events.slice(2) : [];
        same(tellParts(decode("openai-responses", namedEvents(...text, ...rest, end))), expected);
      }),
    );
  });

  it("is filled in from the last event when nothing else told it", () => {
    const output = responsesWhole({})["output"];
    const stream = namedEvents({ type: "response.completed", response: { status: "completed", output } } as {
      type: string;
    });
    expect(decode("openai-responses", stream).text).toBe("Hello");
  });
});

function tellParts({ text, reasoning, toolCalls }: Told): object {
  return { text, reasoning, toolCalls };
}

describe("decode options", () => {
  it.each<[DecodeOptions, string]>([
    [{ status: 99 }, "status must be a whole number of at least 100, got 99"],
    [{ choice: -1 }, "choice must be a whole number of at least 0, got -1"],
    [{ maxEventSize: 0 }, "maxEventSize must be a whole number of at least 1, got 0"],
    [{ stauts: 200 } as DecodeOptions, "decode options has no such option"],
  ])("%o are refused at the door", (options, message) => {
    expect(() => ANSWER_FORMATS.gemini.decodeStream(options)).toThrow(message);
    expect(() => ANSWER_FORMATS.gemini.decodeResponse({}, options)).toThrow(message);
  });
});

describe("a cut anywhere", () => {
  const streams: readonly [WireFormatName, string | Uint8Array][] = [
    ["openai-chat", chatStream(chatChunk({ content: " 秋🍂" }), finish("stop"))],
    ["openai-responses", responsesStream("response.completed", { status: "completed" })],
    ["anthropic-messages", messagesStream({ stop_reason: "end_turn" })],
    ["gemini", dataEvents(geminiChunk({}), geminiChunk({ finishReason: "STOP" }, { text: " you" }))],
    ["ollama-chat", lines({ message: { content: "Hi" }, done: false }, { done: true, done_reason: "stop" })],
    [
      "bedrock-converse",
      joinBytes(
        converseEvent("messageStart", { role: "assistant" }),
        converseEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hello" } }),
        converseEvent("messageStop", { stopReason: "end_turn" }),
      ),
    ],
  ];

  it.each(streams)("%s: is a success only if nothing was lost", (format, body) => {
    const bytes = typeof body === "string" ? toBytes(body) : body;
    const { text } = decode(format, bytes);
    let successes = 0;
    for (let end = 0; end < bytes.length; end++) {
      const cut = tell(decodeChunks(ANSWER_FORMATS[format], [bytes.subarray(0, end)]));
      if (cut.signal.reason !== "natural_completion") continue;
      successes += 1;
      expect(cut.text).toBe(text);
    }
    expect(successes).toBeLessThan(bytes.length / 2);
  });

  it.each(streams)("%s: reads the same however the bytes are cut", (format, body) => {
    const bytes = typeof body === "string" ? toBytes(body) : body;
    const whole = decodeChunks(ANSWER_FORMATS[format], [bytes]);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 10 }), (positions) => {
        same(decodeChunks(ANSWER_FORMATS[format], cutBytesAt(bytes, positions)), whole);
      }),
      { numRuns: 300 },
    );
  });
});
