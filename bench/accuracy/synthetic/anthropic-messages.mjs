// @ts-check
import { ARGUMENTS, LOOP, TOOL, WORDS, cut, namedEvents, toCases } from "./case.mjs";

/** @typedef {Readonly<Record<string, unknown>>} Fields */

const HEAD = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
};

/** @param {string | null} reason @param {string | null} [sequence] */
const stop = (reason, sequence = null) => ({ stop_reason: reason, stop_sequence: sequence });

const start = {
  type: "message_start",
  message: { ...HEAD, content: [], ...stop(null), usage: { input_tokens: 12, output_tokens: 1 } },
};

/** @param {readonly string[]} words */
const textBlock = (words) => [
  start,
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  ...words.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
];

/** @param {number} pieces */
const callBlock = (pieces) => [
  start,
  { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "toolu_1", name: TOOL, input: {} } },
  ...ARGUMENTS.slice(0, pieces).map((json) => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "input_json_delta", partial_json: json },
  })),
];

const close = { type: "content_block_stop", index: 0 };

/** @param {string} reason @param {string | null} [sequence] */
const delta = (reason, sequence = null) => ({
  type: "message_delta",
  delta: stop(reason, sequence),
  usage: { output_tokens: 7 },
});
const over = { type: "message_stop" };

/** @param {string} reason @param {string | null} [sequence] */
const ended = (reason, sequence = null) => namedEvents(...textBlock(WORDS), close, delta(reason, sequence), over);

/** @param {readonly unknown[]} content @param {string} reason @param {string | null} [sequence] */
const whole = (content, reason, sequence = null) =>
  JSON.stringify({ ...HEAD, content, ...stop(reason, sequence), usage: { input_tokens: 12, output_tokens: 7 } });

const text = [{ type: "text", text: WORDS.join("") }];
const call = [{ type: "tool_use", id: "toolu_1", name: TOOL, input: { city: "Paris" } }];

/** @param {string} type @param {string} message */
const error = (type, message) => ({ type: "error", error: { type, message } });

const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "Paris" } };

/** Every ending of Anthropic's Messages. */
export const ANTHROPIC_MESSAGES = toCases("anthropic-messages", "Anthropic Messages", [
  { name: "natural end", expected: "natural_completion", stream: ended("end_turn"), whole: whole(text, "end_turn") },
  {
    name: "stop string",
    expected: "stop_sequence",
    stream: ended("stop_sequence", "END"),
    whole: whole(text, "stop_sequence", "END"),
  },
  { name: "length", expected: "token_limit_reached", stream: ended("max_tokens"), whole: whole(text, "max_tokens") },
  {
    name: "context window full",
    expected: "context_window_exceeded",
    stream: ended("model_context_window_exceeded"),
    whole: whole(text, "model_context_window_exceeded"),
  },
  {
    name: "tool calls",
    expected: "tool_calls",
    stream: namedEvents(...callBlock(2), close, delta("tool_use"), over),
    whole: whole(call, "tool_use"),
  },
  {
    name: "length within a call",
    expected: "token_limit_reached",
    stream: namedEvents(...callBlock(1), close, delta("max_tokens"), over),
  },
  { name: "refusal", expected: "content_filtered", stream: ended("refusal"), whole: whole(text, "refusal") },
  {
    name: "pause",
    expected: "paused",
    stream: namedEvents(
      start,
      { type: "content_block_start", index: 0, content_block: { ...search, input: {} } },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json: JSON.stringify(search.input) },
      },
      close,
      delta("pause_turn"),
      over,
    ),
    whole: whole([search], "pause_turn"),
  },
  {
    name: "empty answer",
    expected: "natural_completion",
    stream: namedEvents(start, delta("end_turn"), over),
    whole: whole([], "end_turn"),
  },
  {
    name: "message_stop missing",
    expected: "natural_completion",
    alsoRight: ["error_termination"],
    stream: namedEvents(...textBlock(WORDS), close, delta("end_turn")),
  },
  {
    name: "a word nobody knows",
    expected: "unknown",
    stream: ended("galaxy_brained"),
    whole: whole(text, "galaxy_brained"),
  },
  { name: "empty body", expected: "error_termination", stream: "", whole: "" },
  {
    name: "error in mid-stream",
    expected: "error_termination",
    stream: namedEvents(...textBlock(WORDS.slice(0, 2)), error("overloaded_error", "Overloaded")),
  },
  {
    name: "connection breaks in mid-stream",
    expected: "error_termination",
    stream: cut(namedEvents(...textBlock(WORDS)), 0.9),
    whole: cut(whole(text, "end_turn")),
    connection: "break",
  },
  {
    name: "body ends in mid-stream",
    expected: "error_termination",
    stream: cut(namedEvents(...textBlock(WORDS)), 0.9),
    whole: cut(whole(text, "end_turn")),
  },
  {
    name: "connection breaks before the finish",
    expected: "error_termination",
    stream: namedEvents(...textBlock(WORDS), close),
    connection: "break",
  },
  {
    name: "body ends before the finish",
    expected: "error_termination",
    stream: namedEvents(...textBlock(WORDS), close),
  },
  { name: "body ends within a call", expected: "error_termination", stream: namedEvents(...callBlock(1)) },
  {
    name: "a chunk that is no JSON",
    expected: "error_termination",
    stream: namedEvents(
      ...textBlock(WORDS.slice(0, 1)),
      'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_de\n\n',
      close,
      delta("end_turn"),
      over,
    ),
  },
  {
    name: "overloaded",
    expected: "error_termination",
    stream: JSON.stringify(error("overloaded_error", "Overloaded")),
    whole: JSON.stringify(error("overloaded_error", "Overloaded")),
    status: 529,
  },
  {
    name: "a loop until the limit",
    expected: "repetition_detected",
    said: "token_limit_reached",
    stream: namedEvents(...textBlock(LOOP), close, delta("max_tokens"), over),
    whole: whole([{ type: "text", text: LOOP.join("") }], "max_tokens"),
  },
]);
