import { describe, expect, it } from "vitest";
import { ANSWER_FORMATS, listFinishWords } from "../../src/wire/index.ts";
import type { DecodeOptions, WireFormatName } from "../../src/wire/index.ts";
import type { Confidence, TerminationReason } from "../../src/index.ts";
import { decodeChunks, tell } from "../support/answers.ts";
import {
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
  messagesWhole,
  namedEvents,
  responsesStream,
  responsesWhole,
  toBytes,
} from "../support/wire-bodies.ts";

interface Ending {
  readonly reason: TerminationReason;
  readonly confidence: Confidence;
  readonly detail?: string;
}

interface Row {
  readonly name: string;
  readonly format: WireFormatName;
  readonly body: Uint8Array | string;
  readonly options?: DecodeOptions;
  readonly expected: Ending;
  readonly field: string;
  readonly value: string;
}

const functionCall = { type: "function_call", call_id: "call_1", name: "add", arguments: "{}" };

/** A finish value of Chat Completions, streaming and whole. */
function chat(value: string, reason: TerminationReason, confidence: Confidence, detail?: string): Row[] {
  return both(
    "openai-chat",
    value,
    { reason, confidence, ...(detail !== undefined && { detail }) },
    {
      field: "choices[0].finish_reason",
      stream: chatStream(chatChunk({}, { finish_reason: value })),
      whole: chatWhole({}, { finish_reason: value }),
    },
  );
}

function both(
  format: WireFormatName,
  value: string,
  expected: Ending,
  bodies: {
    readonly field: string;
    readonly wholeField?: string;
    readonly stream?: string | Uint8Array;
    readonly whole?: object;
    readonly name?: string;
    readonly options?: DecodeOptions;
  },
): Row[] {
  const { field, wholeField = field, stream, whole, name = value, options } = bodies;
  const row = { format, value, expected, ...(options !== undefined && { options }) };
  return [
    ...(stream === undefined ? [] : [{ ...row, field, name: `${name}, streamed`, body: stream }]),
    ...(whole === undefined
      ? []
      : [{ ...row, field: wholeField, name: `${name}, whole`, body: JSON.stringify(whole) }]),
  ];
}

function responses(
  type: string,
  fields: Readonly<Record<string, unknown>>,
  field: string,
  value: string,
  expected: Ending,
  ...items: readonly Readonly<Record<string, unknown>>[]
): Row[] {
  const stream = responsesStream(`response.${type}`, fields, ...items);
  return both("openai-responses", value, expected, { field, stream, whole: responsesWhole(fields, ...items) });
}

function messages(value: string, expected: Ending, extra: Readonly<Record<string, unknown>> = {}): Row[] {
  const fields = { stop_reason: value, ...extra };
  return both("anthropic-messages", value, expected, {
    field: "delta.stop_reason",
    wholeField: "stop_reason",
    stream: messagesStream(fields),
    whole: messagesWhole(fields),
  });
}

function gemini(value: string, expected: Ending, ...parts: readonly Readonly<Record<string, unknown>>[]): Row[] {
  const chunk = geminiChunk({ finishReason: value }, ...parts);
  const stream = dataEvents(geminiChunk({}), chunk);
  return both("gemini", value, expected, { field: "candidates[0].finishReason", stream, whole: chunk });
}

function interactions(
  status: string,
  expected: Ending,
  field = "status",
  extra: { readonly errors: readonly { readonly code: string }[] } | object = {},
): Row[] {
  const interaction = { id: "i1", object: "interaction", model: "m", status, ...extra };
  const code = "errors" in extra ? extra.errors[0]!.code : status;
  return both("gemini-interactions", code, expected, {
    field,
    name: status,
    stream: dataEvents({ event_type: "interaction.completed", interaction }, "[DONE]"),
    whole: interaction,
  });
}

function converse(value: string, expected: Ending): Row[] {
  const start = converseEvent("messageStart", { role: "assistant" });
  const usage = converseEvent("metadata", { usage: { inputTokens: 1, outputTokens: 2 } });
  return both("bedrock-converse", value, expected, {
    field: "stopReason",
    stream: joinBytes(start, converseEvent("messageStop", { stopReason: value }), usage),
    whole: { output: { message: { role: "assistant", content: [{ text: "Hello" }] } }, stopReason: value, usage: {} },
  });
}

function cohere(value: string, expected: Ending): Row[] {
  return both("cohere-chat", value, expected, {
    field: "finish_reason",
    stream: namedEvents(
      { type: "message-start", id: "c1" } as { type: string },
      { type: "message-end", delta: { finish_reason: value } } as { type: string },
    ),
    whole: { id: "c1", message: { role: "assistant", content: [{ type: "text", text: "Hi" }] }, finish_reason: value },
  });
}

function ollama(value: string, expected: Ending): Row[] {
  const done = { model: "m", message: { role: "assistant", content: "" }, done: true, done_reason: value };
  return both("ollama-chat", value, expected, {
    field: "done_reason",
    stream: lines({ ...done, done: false }, done),
    whole: done,
  });
}

function llama(value: string, expected: Ending, extra: object = {}, field = "stop_type"): Row[] {
  const last = { content: "", stop: true, stop_type: value, stopping_word: "", truncated: false, ...extra };
  return both("openai-completions", field === "truncated" ? "true" : value, expected, {
    field,
    stream: dataEvents({ content: "Hello", stop: false }, last),
    whole: { ...last, content: "Hello" },
  });
}

const natural = (confidence: Confidence = "high"): Ending => ({ reason: "natural_completion", confidence });
const limit = (confidence: Confidence = "high"): Ending => ({ reason: "token_limit_reached", confidence });
const calls = (): Ending => ({ reason: "tool_calls", confidence: "high" });
const filtered = (confidence: Confidence = "high", detail?: string): Ending => ({
  reason: "content_filtered",
  confidence,
  ...(detail !== undefined && { detail }),
});
const failed = (confidence: Confidence = "high", detail?: string): Ending => ({
  reason: "error_termination",
  confidence,
  ...(detail !== undefined && { detail }),
});

const XAI_NUMBERS = { 0: "REASON_INVALID", 1: "REASON_MAX_LEN", 2: "REASON_MAX_CONTEXT", 5: "REASON_TIME_LIMIT" };

const rows: readonly Row[] = [
  // Chat Completions and its many speakers.
  ...chat("stop", "natural_completion", "medium"),
  ...both("openai-chat", "stop", natural(), {
    name: "stop without stop strings in the request",
    field: "choices[0].finish_reason",
    whole: chatWhole({}, { finish_reason: "stop" }),
    options: { hadStopStrings: false },
  }),
  ...both(
    "openai-chat",
    "stop",
    { ...natural("medium"), detail: "possible_stop_sequence" },
    {
      name: "stop with stop strings in the request",
      field: "choices[0].finish_reason",
      whole: chatWhole({}, { finish_reason: "stop" }),
      options: { hadStopStrings: true },
    },
  ),
  ...both("openai-chat", "stop", calls(), {
    name: "stop with a tool call",
    field: "choices[0].finish_reason",
    stream: chatStream(chatChunk({ tool_calls: [chatCall("{}")] }), chatChunk({}, { finish_reason: "stop" })),
    whole: chatWhole({ tool_calls: [chatCall("{}")] }, { finish_reason: "stop" }),
  }),
  ...both("openai-chat", "stop", filtered("high", "refusal"), {
    name: "stop with a refusal",
    field: "choices[0].finish_reason",
    stream: chatStream(chatChunk({ refusal: "No." }), chatChunk({}, { finish_reason: "stop" })),
    whole: chatWhole({ content: null, refusal: "No." }, { finish_reason: "stop" }),
  }),
  ...chat("length", "token_limit_reached", "high"),
  ...chat("content_filter", "content_filtered", "high"),
  ...both("openai-chat", "tool_calls", calls(), {
    field: "choices[0].finish_reason",
    stream: chatStream(chatChunk({ tool_calls: [chatCall("{}")] }), chatChunk({}, { finish_reason: "tool_calls" })),
    whole: chatWhole({ tool_calls: [chatCall("{}")] }, { finish_reason: "tool_calls" }),
  }),
  ...both("openai-chat", "function_call", calls(), {
    field: "choices[0].finish_reason",
    stream: chatStream(
      chatChunk({ function_call: { name: "add", arguments: "{}" } }, { finish_reason: "function_call" }),
    ),
    whole: chatWhole({ function_call: { name: "add", arguments: "{}" } }, { finish_reason: "function_call" }),
  }),
  ...both(
    "openai-chat",
    "tool_calls",
    { reason: "tool_calls", confidence: "medium", detail: "incomplete_arguments" },
    {
      name: "tool_calls with cut arguments",
      field: "choices[0].finish_reason",
      stream: chatStream(chatChunk({ tool_calls: [chatCall('{"a":')] }, { finish_reason: "tool_calls" })),
      whole: chatWhole({ tool_calls: [chatCall('{"a":')] }, { finish_reason: "tool_calls" }),
    },
  ),
  ...chat("model_length", "context_window_exceeded", "high"),
  ...chat("error", "error_termination", "high"),
  ...chat("insufficient_system_resource", "error_termination", "high", "overloaded"),
  ...chat("abort", "cancelled", "medium", "aborted_by_provider"),
  ...chat("repetition", "repetition_detected", "low"),
  ...chat("eos_token", "natural_completion", "high"),
  ...chat("eos", "natural_completion", "high"),
  ...chat("stop_sequence", "stop_sequence", "high"),
  ...chat("sensitive", "content_filtered", "high"),
  ...chat("network_error", "error_termination", "high", "network_error"),
  ...chat("model_context_window_exceeded", "context_window_exceeded", "high"),
  ...chat("end_turn", "natural_completion", "high"),
  ...chat("Content-Filter ", "content_filtered", "high"),
  ...chat("something new", "unknown", "low"),
  ...both(
    "openai-chat",
    "stop",
    { reason: "stop_sequence", confidence: "high" },
    {
      name: "stop with vLLM's matched string",
      field: "choices[0].finish_reason",
      stream: chatStream(chatChunk({}, { finish_reason: "stop", stop_reason: "END" })),
      whole: chatWhole({}, { finish_reason: "stop", stop_reason: "END" }),
    },
  ),
  ...both(
    "openai-chat",
    "stop",
    { reason: "stop_sequence", confidence: "high", detail: "stop_token" },
    {
      name: "stop with vLLM's stop token",
      field: "choices[0].finish_reason",
      whole: chatWhole({}, { finish_reason: "stop", stop_reason: 13 }),
    },
  ),
  ...both(
    "openai-chat",
    "stop",
    { reason: "stop_sequence", confidence: "high" },
    {
      name: "stop with SGLang's matched string",
      field: "choices[0].finish_reason",
      whole: chatWhole({}, { finish_reason: "stop", matched_stop: "END" }),
    },
  ),
  ...both("openai-chat", "stop", natural("medium"), {
    name: "stop with SGLang's end token",
    field: "choices[0].finish_reason",
    whole: chatWhole({}, { finish_reason: "stop", matched_stop: 2 }),
  }),
  ...both(
    "openai-chat",
    "abort",
    { reason: "cancelled", confidence: "medium", detail: "aborted_by_provider" },
    {
      name: "SGLang's object",
      field: "choices[0].finish_reason",
      whole: chatWhole({}, { finish_reason: { type: "abort", message: "gone" } }),
    },
  ),
  ...["length", "max_output_tokens"].flatMap((native) =>
    both("openai-chat", native, limit(), {
      name: `tool_calls with the native ${native}`,
      field: "choices[0].native_finish_reason",
      stream: chatStream(
        chatChunk({ tool_calls: [chatCall('{"a":')] }, { finish_reason: "tool_calls", native_finish_reason: native }),
      ),
      whole: chatWhole(
        { tool_calls: [chatCall('{"a":')] },
        { finish_reason: "tool_calls", native_finish_reason: native },
      ),
    }),
  ),
  // xAI's enum, by name and by number.
  ...both("openai-chat", "1", limit(), {
    name: "the number of REASON_MAX_LEN",
    field: "choices[0].finish_reason",
    whole: chatWhole({}, { finish_reason: 1 }),
    options: { finishNumbers: XAI_NUMBERS },
  }),
  ...both(
    "openai-chat",
    "5",
    { reason: "budget_exceeded", confidence: "medium", detail: "deadline" },
    {
      name: "the number of REASON_TIME_LIMIT",
      field: "choices[0].finish_reason",
      whole: chatWhole({}, { finish_reason: 5 }),
      options: { finishNumbers: XAI_NUMBERS },
    },
  ),
  ...chat("REASON_MAX_CONTEXT", "context_window_exceeded", "high"),
  ...chat("REASON_STOP", "natural_completion", "medium"),
  ...chat("REASON_INVALID", "unknown", "high"),
  // LM Studio, node-llama-cpp, Realtime.
  ...chat("userStopped", "cancelled", "high"),
  ...chat("modelUnloaded", "error_termination", "high"),
  ...chat("failed", "error_termination", "high"),
  ...chat("contextLengthReached", "context_window_exceeded", "high"),
  ...chat("turn_detected", "cancelled", "high"),
  ...chat("client_cancelled", "cancelled", "high"),
  // Responses.
  ...responses("completed", { status: "completed" }, "status", "completed", natural()),
  ...responses("completed", { status: "completed" }, "status", "completed", calls(), functionCall),
  ...responses("completed", { status: "completed" }, "status", "completed", natural(), { type: "web_search_call" }),
  ...responses("completed", { status: "completed" }, "status", "completed", filtered("high", "refusal"), {
    type: "message",
    content: [{ type: "refusal", refusal: "No." }],
  }),
  ...(
    [
      ["max_output_tokens", limit()],
      ["content_filter", filtered()],
      ["max_messages", limit("low")],
      ["steered", { reason: "paused", confidence: "medium", detail: "steered" }],
    ] as const
  ).flatMap(([reason, ending]) =>
    responses(
      "incomplete",
      { status: "incomplete", incomplete_details: { reason } },
      "incomplete_details.reason",
      reason,
      ending,
    ),
  ),
  ...responses("incomplete", { status: "incomplete" }, "status", "incomplete", limit("low")),
  ...responses(
    "failed",
    { status: "failed", error: { code: "server_error", message: "Oops" } },
    "error",
    "server_error",
    failed("high", "server_error"),
  ),
  ...responses(
    "failed",
    { status: "failed", error: { code: "bio_policy", message: "No" } },
    "error",
    "bio_policy",
    filtered("high", "policy"),
  ),
  ...responses("cancelled", { status: "cancelled" }, "status", "cancelled", {
    reason: "cancelled",
    confidence: "high",
  }),
  ...["queued", "in_progress"].flatMap((status) =>
    both(
      "openai-responses",
      status,
      { reason: "unknown", confidence: "high", detail: "in_progress" },
      {
        field: "status",
        whole: responsesWhole({ status }),
      },
    ),
  ),
  // Anthropic.
  ...messages("end_turn", natural()),
  ...messages("max_tokens", limit()),
  ...messages("stop_sequence", { reason: "stop_sequence", confidence: "high" }, { stop_sequence: "END" }),
  ...messages("end_turn", { reason: "stop_sequence", confidence: "high" }, { stop_sequence: "END" }),
  ...both("anthropic-messages", "tool_use", calls(), {
    field: "stop_reason",
    whole: messagesWhole({
      stop_reason: "tool_use",
      content: [{ type: "tool_use", id: "t1", name: "add", input: {} }],
    }),
  }),
  ...messages("pause_turn", { reason: "paused", confidence: "high" }),
  ...messages("refusal", filtered("high", "refusal"), { stop_details: { type: "refusal", category: "cyber" } }),
  ...messages("model_context_window_exceeded", { reason: "context_window_exceeded", confidence: "high" }),
  ...messages("compaction", { reason: "paused", confidence: "high", detail: "compaction" }),
  // Gemini.
  ...gemini("STOP", natural("medium")),
  ...gemini("STOP", calls(), { functionCall: { name: "add", args: {} } }),
  ...gemini("MAX_TOKENS", limit()),
  ...gemini("CONTINUATION", { reason: "paused", confidence: "high", detail: "continuation" }),
  ...["SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT"].flatMap((word) =>
    gemini(word, filtered()),
  ),
  ...gemini("RECITATION", filtered("high", "recitation")),
  ...gemini("IMAGE_RECITATION", filtered("high", "recitation")),
  ...gemini("LANGUAGE", filtered("medium", "language")),
  ...gemini("MODEL_ARMOR", filtered("medium")),
  ...gemini("ESCALATION", filtered("medium")),
  ...gemini("NO_IMAGE", failed("low")),
  ...gemini("IMAGE_OTHER", failed("low")),
  ...gemini("MALFORMED_FUNCTION_CALL", failed("high", "malformed_tool_call")),
  ...gemini("UNEXPECTED_TOOL_CALL", failed("high", "unexpected_tool_call"), {
    functionCall: { name: "add", args: {} },
  }),
  ...gemini("TOO_MANY_TOOL_CALLS", failed("medium", "tool_loop_limit")),
  ...gemini("MALFORMED_RESPONSE", failed("medium")),
  ...gemini("MISSING_THOUGHT_SIGNATURE", failed("medium")),
  ...gemini("OTHER", { reason: "unknown", confidence: "medium" }),
  // A stream that has said nothing else was cut.
  ...both(
    "gemini",
    "FINISH_REASON_UNSPECIFIED",
    { reason: "unknown", confidence: "high" },
    {
      field: "candidates[0].finishReason",
      whole: geminiChunk({ finishReason: "FINISH_REASON_UNSPECIFIED" }),
    },
  ),
  ...["SAFETY", "OTHER", "MODEL_ARMOR", "JAILBREAK", "SOMETHING_NEW"].flatMap((blockReason) =>
    both("gemini", blockReason, filtered("high", "prompt"), {
      name: `prompt blocked for ${blockReason}`,
      field: "promptFeedback.blockReason",
      stream: dataEvents({ promptFeedback: { blockReason } }),
      whole: { promptFeedback: { blockReason } },
    }),
  ),
  // Interactions.
  ...interactions("completed", natural()),
  ...interactions("requires_action", calls(), "status", {
    steps: [{ type: "function_call", id: "f1", name: "add", arguments: { a: 1 } }],
  }),
  ...interactions("incomplete", limit()),
  ...interactions("requires_continuation", { reason: "paused", confidence: "high", detail: "continuation" }),
  ...interactions("budget_exceeded", { reason: "budget_exceeded", confidence: "medium", detail: "budget" }),
  ...interactions("queued", { reason: "unknown", confidence: "high", detail: "in_progress" }),
  ...interactions("cancelled", { reason: "cancelled", confidence: "high" }),
  ...interactions("failed", failed()),
  ...interactions("failed", filtered("medium", "policy"), "error", { errors: [{ code: "safety", message: "no" }] }),
  ...interactions("failed", failed("high", "malformed_tool_call"), "error", {
    errors: [{ code: "malformed_function_call", message: "no" }],
  }),
  // Bedrock.
  ...converse("end_turn", natural()),
  ...converse("max_tokens", limit()),
  ...converse("stop_sequence", { reason: "stop_sequence", confidence: "high" }),
  ...converse("guardrail_intervened", filtered("high", "guardrail")),
  ...converse("content_filtered", filtered()),
  ...converse("model_context_window_exceeded", { reason: "context_window_exceeded", confidence: "high" }),
  ...converse("malformed_tool_use", failed("high", "malformed_tool_call")),
  ...converse("malformed_model_output", failed("high", "malformed_output")),
  // Cohere.
  ...cohere("COMPLETE", natural()),
  ...cohere("STOP_SEQUENCE", { reason: "stop_sequence", confidence: "high" }),
  ...cohere("MAX_TOKENS", limit()),
  ...cohere("ERROR", failed()),
  ...cohere("TIMEOUT", { reason: "budget_exceeded", confidence: "high", detail: "deadline" }),
  ...cohere("ERROR_TOXIC", filtered("medium")),
  ...cohere("USER_CANCEL", { reason: "cancelled", confidence: "high" }),
  // Ollama and llama.cpp.
  ...ollama("stop", natural("medium")),
  ...ollama("length", limit()),
  ...ollama("load", { reason: "natural_completion", confidence: "medium", detail: "no_generation" }),
  ...ollama("unload", { reason: "natural_completion", confidence: "medium", detail: "no_generation" }),
  ...llama("eos", natural()),
  ...llama("word", { reason: "stop_sequence", confidence: "high" }, { stopping_word: "END" }),
  ...llama("limit", limit()),
  ...llama("limit", { reason: "context_window_exceeded", confidence: "high" }, { truncated: true }, "truncated"),
];

describe("finish values", () => {
  it.each(rows)("$format: $name", ({ format, body, options, expected, field, value }) => {
    const bytes = typeof body === "string" ? toBytes(body) : body;
    const whole = decodeChunks(ANSWER_FORMATS[format], [bytes], options);
    const { reason, confidence, detail, providerSpecific } = tell(whole).signal;
    expect({ reason, confidence, ...(detail !== undefined && { detail }) }).toEqual(expected);
    expect(providerSpecific).toMatchObject({ originalField: field, originalValue: value });
    const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    expect(decodeChunks(ANSWER_FORMATS[format], single, options)).toEqual(whole);
  });

  it("cover every reason a provider can give", () => {
    const reasons = new Set(listFinishWords().map(([, { reason }]) => reason));
    const covered = new Set(rows.map(({ expected }) => expected.reason));
    expect([...reasons].filter((reason) => !covered.has(reason))).toEqual([]);
  });

  it("never take a word nobody knows for success", () => {
    for (const word of ["", "finished?", "__proto__", "constructor", "ok", "done", "success"]) {
      const { signal } = tell(ANSWER_FORMATS["openai-chat"].decodeResponse(chatWhole({}, { finish_reason: word })));
      expect(signal).toMatchObject({ reason: "unknown", confidence: "low" });
    }
  });
});
