// @ts-check
import { dataEvents, toCases } from "./case.mjs";
import { CALL, TEXT, chunk, whole } from "./openai-chat.mjs";

/** @typedef {Readonly<Record<string, unknown>>} Fields */

/** @param {string | null} finish @param {Fields} [more] */
const ended = (finish, more = {}) => dataEvents(...TEXT, chunk({}, finish, more), "[DONE]");

/**
 * An ending that is one word of a server.
 *
 * @param {string} name
 * @param {import("./case.mjs").Reason} expected
 * @param {string} finish
 * @param {Fields} [more] Further fields of the choice.
 */
const word = (name, expected, finish, more = {}) => ({
  name,
  expected,
  stream: ended(finish, more),
  whole: whole({}, finish, more),
});

const page = "<!doctype html><html><head><title>502 Bad Gateway</title></head><body></body></html>";
const failure = { error: { code: 502, message: "Provider returned error" } };

/** Endings of the many servers that speak Chat Completions with an accent. */
export const ODDITIES = toCases("openai-chat", "OpenAI-compatible", [
  word("stop string, as vLLM tells it", "stop_sequence", "stop", { stop_reason: "END" }),
  word("stop string, as SGLang tells it", "stop_sequence", "stop", { matched_stop: "END" }),
  word("natural end, as vLLM tells it", "natural_completion", "stop", { stop_reason: null }),
  word("end token, as Text Generation Inference tells it", "natural_completion", "eos_token"),
  word("natural end, in Anthropic's word", "natural_completion", "end_turn"),
  word("length, in Anthropic's word", "token_limit_reached", "max_tokens"),
  word("context window full, as Mistral tells it", "context_window_exceeded", "model_length"),
  word("content filter, as Zhipu tells it", "content_filtered", "sensitive"),
  word("out of capacity, as DeepSeek tells it", "error_termination", "insufficient_system_resource"),
  word("network error, as Zhipu tells it", "error_termination", "network_error"),
  word("aborted, as vLLM tells it", "cancelled", "abort"),
  word("a loop, as vLLM tells it", "repetition_detected", "repetition"),
  {
    name: "the old word for a call",
    expected: "tool_calls",
    stream: dataEvents(
      chunk({ role: "assistant", content: null, function_call: { name: "get_weather", arguments: "" } }),
      chunk({ function_call: { arguments: '{"city":"Paris"}' } }),
      chunk({}, "function_call"),
      "[DONE]",
    ),
    whole: whole(
      { content: null, function_call: { name: "get_weather", arguments: '{"city":"Paris"}' } },
      "function_call",
    ),
  },
  {
    name: "the finish twice, as OpenRouter sends it",
    expected: "token_limit_reached",
    stream: dataEvents(
      ...TEXT,
      chunk({ content: "" }, "length", { native_finish_reason: "max_tokens" }),
      chunk({ content: "" }, "length", { native_finish_reason: "max_tokens" }),
      "[DONE]",
    ),
  },
  {
    name: "an error beside a finish, as OpenRouter sends it",
    expected: "error_termination",
    stream: dataEvents(...TEXT, { ...chunk({ content: "" }, "error"), ...failure }, "[DONE]"),
  },
  {
    name: "a call that ends with stop, as Ollama sends it",
    expected: "tool_calls",
    stream: dataEvents(...CALL, chunk({ content: "" }, "stop"), "[DONE]"),
  },
  {
    name: "empty finish values before the last",
    expected: "natural_completion",
    stream: dataEvents(...TEXT.map(() => chunk({ content: "word " }, "")), chunk({}, "stop"), "[DONE]"),
  },
  {
    name: "comments and both line ends",
    expected: "natural_completion",
    stream: `: OPENROUTER PROCESSING\r\n\r\n${ended("stop").replaceAll("\n", "\r\n")}`,
  },
  {
    name: "no space after the colon",
    expected: "token_limit_reached",
    stream: ended("length").replaceAll("data: ", "data:"),
  },
  {
    name: "a whole answer where a stream was asked for",
    expected: "token_limit_reached",
    stream: whole({}, "length"),
    contentType: "application/json",
  },
  {
    name: "an error with the status of success",
    expected: "error_termination",
    stream: JSON.stringify(failure),
    whole: JSON.stringify(failure),
    contentType: "application/json",
  },
  {
    name: "a page of a proxy with the status of success",
    expected: "error_termination",
    stream: page,
    whole: page,
    contentType: "text/html",
  },
]);
