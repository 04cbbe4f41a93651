// @ts-check
import { ARGUMENTS, LOOP, TOOL, WORDS, cut, dataEvents, toCases } from "./case.mjs";

/** @typedef {Readonly<Record<string, unknown>>} Fields */

const USAGE = { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 };
const HEAD = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_700_000_000, model: "gpt-4.1-mini" };

/**
 * A chunk of Chat Completions.
 *
 * @param {Fields} delta
 * @param {string | number | null} finish
 * @param {Fields} [more] Further fields of the choice.
 * @returns {Fields}
 */
export function chunk(delta, finish = null, more = {}) {
  return { ...HEAD, choices: [{ index: 0, delta, finish_reason: finish, ...more }] };
}

const usageChunk = { ...HEAD, choices: [], usage: USAGE };

/**
 * A whole answer of Chat Completions.
 *
 * @param {Fields} message
 * @param {string | null} finish
 * @param {Fields} [more] Further fields of the choice.
 */
export function whole(message, finish, more = {}) {
  return JSON.stringify({
    ...HEAD,
    object: "chat.completion",
    choices: [
      { index: 0, message: { role: "assistant", content: WORDS.join(""), ...message }, finish_reason: finish, ...more },
    ],
    usage: USAGE,
  });
}

/** What every answer with text begins with. */
export const TEXT = [chunk({ role: "assistant", content: "" }), ...WORDS.map((word) => chunk({ content: word }))];

/** A whole call as it is streamed. */
export const CALL = [
  chunk({
    role: "assistant",
    content: null,
    tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: TOOL, arguments: "" } }],
  }),
  ...ARGUMENTS.map((json) => chunk({ tool_calls: [{ index: 0, function: { arguments: json } }] })),
];

const calls = [{ id: "call_1", type: "function", function: { name: TOOL, arguments: ARGUMENTS.join("") } }];

/** @param {string | number | null} finish */
const ended = (finish) => dataEvents(...TEXT, chunk({}, finish), usageChunk, "[DONE]");

const refusal = "I cannot help with that.";
const error = (
  /** @type {string} */ type,
  /** @type {string} */ message,
  /** @type {string | null} */ code = null,
) => ({
  error: { message, type, param: null, code },
});
const overloaded = error("server_error", "The server had an error while processing your request.");
const loop = [chunk({ role: "assistant", content: "" }), ...LOOP.map((text) => chunk({ content: text }))];

/** Every ending of OpenAI's Chat Completions. */
export const OPENAI_CHAT = toCases("openai-chat", "OpenAI Chat", [
  { name: "natural end", expected: "natural_completion", stream: ended("stop"), whole: whole({}, "stop") },
  { name: "length", expected: "token_limit_reached", stream: ended("length"), whole: whole({}, "length") },
  {
    name: "tool calls",
    expected: "tool_calls",
    stream: dataEvents(...CALL, chunk({}, "tool_calls"), "[DONE]"),
    whole: whole({ content: null, tool_calls: calls }, "tool_calls"),
  },
  {
    name: "length within a call",
    expected: "token_limit_reached",
    stream: dataEvents(...CALL.slice(0, 2), chunk({}, "length"), "[DONE]"),
  },
  {
    name: "a forced call",
    expected: "tool_calls",
    stream: dataEvents(...CALL, chunk({}, "stop"), "[DONE]"),
    whole: whole({ content: null, tool_calls: calls }, "stop"),
  },
  {
    name: "content filter",
    expected: "content_filtered",
    stream: ended("content_filter"),
    whole: whole({}, "content_filter"),
  },
  {
    name: "refusal",
    expected: "content_filtered",
    stream: dataEvents(chunk({ role: "assistant", content: null }), chunk({ refusal }), chunk({}, "stop"), "[DONE]"),
    whole: whole({ content: null, refusal }, "stop"),
  },
  {
    name: "empty answer",
    expected: "natural_completion",
    stream: dataEvents(chunk({ role: "assistant", content: "" }), chunk({}, "stop"), "[DONE]"),
    whole: whole({ content: "" }, "stop"),
  },
  {
    name: "[DONE] missing",
    expected: "natural_completion",
    alsoRight: ["error_termination"],
    stream: dataEvents(...TEXT, chunk({}, "stop")),
  },
  { name: "nothing but [DONE]", expected: "unknown", stream: dataEvents("[DONE]") },
  { name: "text and [DONE], no finish", expected: "unknown", stream: dataEvents(...TEXT, "[DONE]") },
  {
    name: "a word nobody knows",
    expected: "unknown",
    stream: ended("galaxy_brained"),
    whole: whole({}, "galaxy_brained"),
  },
  { name: "empty body", expected: "error_termination", stream: "", whole: "" },
  {
    name: "error in mid-stream",
    expected: "error_termination",
    stream: dataEvents(...TEXT.slice(0, 3), overloaded),
  },
  {
    name: "connection breaks in mid-stream",
    expected: "error_termination",
    stream: cut(dataEvents(...TEXT), 0.9),
    whole: cut(whole({}, "stop")),
    connection: "break",
  },
  {
    name: "body ends in mid-stream",
    expected: "error_termination",
    stream: cut(dataEvents(...TEXT), 0.9),
    whole: cut(whole({}, "stop")),
  },
  {
    name: "connection breaks before the finish",
    expected: "error_termination",
    stream: dataEvents(...TEXT),
    connection: "break",
  },
  { name: "body ends before the finish", expected: "error_termination", stream: dataEvents(...TEXT) },
  {
    name: "body ends within a call",
    expected: "error_termination",
    stream: dataEvents(...CALL.slice(0, 2)),
  },
  {
    name: "a chunk that is no JSON",
    expected: "error_termination",
    stream: dataEvents(
      ...TEXT.slice(0, 2),
      '{"choices": [{"delta": {"content": "of Fr',
      ...TEXT.slice(3),
      chunk({}, "stop"),
      "[DONE]",
    ),
  },
  {
    name: "too many requests",
    expected: "error_termination",
    stream: JSON.stringify(error("requests", "Rate limit reached", "rate_limit_exceeded")),
    whole: JSON.stringify(error("requests", "Rate limit reached", "rate_limit_exceeded")),
    status: 429,
  },
  {
    name: "prompt refused by a filter",
    expected: "content_filtered",
    stream: JSON.stringify(error("invalid_request_error", "The response was filtered", "content_filter")),
    whole: JSON.stringify(error("invalid_request_error", "The response was filtered", "content_filter")),
    status: 400,
  },
  {
    name: "a loop until the limit",
    expected: "repetition_detected",
    said: "token_limit_reached",
    stream: dataEvents(...loop, chunk({}, "length"), "[DONE]"),
    whole: whole({ content: LOOP.join("") }, "length"),
  },
]);
