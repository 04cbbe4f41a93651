// @ts-check
import { ARGUMENTS, LOOP, TOOL, WORDS, cut, namedEvents, toCases } from "./case.mjs";

/** @typedef {Readonly<Record<string, unknown>>} Fields */

const USAGE = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 19,
};

const HEAD = {
  id: "resp_1",
  object: "response",
  created_at: 1_700_000_000,
  model: "gpt-5-mini",
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_p: 1,
};

let sequence = 0;

/**
 * An event with its place in the stream.
 *
 * @param {string} type
 * @param {Fields} fields
 */
function event(type, fields) {
  return { type, sequence_number: sequence++, ...fields };
}

/** @param {string} text @param {string} status */
const message = (text, status = "completed") => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  status,
  content: [{ type: "output_text", text, annotations: [] }],
});

const refused = {
  ...message(""),
  content: [{ type: "refusal", refusal: "I cannot help with that." }],
};

const call = {
  id: "fc_1",
  type: "function_call",
  status: "completed",
  call_id: "call_1",
  name: TOOL,
  arguments: ARGUMENTS.join(""),
};

/** @param {string} status @param {readonly unknown[]} output @param {Fields} [more] */
const response = (status, output, more = {}) => ({ ...HEAD, status, output, usage: USAGE, ...more });

const begin = () => {
  sequence = 0;
  return [event("response.created", { response: { ...HEAD, status: "in_progress", output: [], usage: null } })];
};

/** @param {readonly string[]} words */
function textOpen(words) {
  const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
  return [
    ...begin(),
    event("response.output_item.added", {
      output_index: 0,
      item: { ...message(""), status: "in_progress", content: [] },
    }),
    event("response.content_part.added", { ...place, part: { type: "output_text", text: "", annotations: [] } }),
    ...words.map((delta) => event("response.output_text.delta", { ...place, delta, logprobs: [] })),
  ];
}

/** @param {readonly string[]} words @param {string} status */
function textDone(words, status = "completed") {
  const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const text = words.join("");
  return [
    ...textOpen(words),
    event("response.output_text.done", { ...place, text, logprobs: [] }),
    event("response.content_part.done", { ...place, part: { type: "output_text", text, annotations: [] } }),
    event("response.output_item.done", { output_index: 0, item: message(text, status) }),
  ];
}

/** @param {number} pieces How much of the arguments comes. */
function callOpen(pieces) {
  const place = { item_id: "fc_1", output_index: 0 };
  return [
    ...begin(),
    event("response.output_item.added", { output_index: 0, item: { ...call, status: "in_progress", arguments: "" } }),
    ...ARGUMENTS.slice(0, pieces).map((delta) => event("response.function_call_arguments.delta", { ...place, delta })),
  ];
}

const text = WORDS.join("");
const limit = { incomplete_details: { reason: "max_output_tokens" } };
const filter = { incomplete_details: { reason: "content_filter" } };
const failure = { error: { code: "server_error", message: "The model failed to generate a response." } };
const partial = message(text, "incomplete");

/** @param {string} type @param {Fields} body */
const end = (type, body) => event(type, { response: body });

/** Every ending of OpenAI's Responses. */
export const OPENAI_RESPONSES = toCases("openai-responses", "OpenAI Responses", [
  {
    name: "natural end",
    expected: "natural_completion",
    stream: namedEvents(...textDone(WORDS), end("response.completed", response("completed", [message(text)]))),
    whole: JSON.stringify(response("completed", [message(text)])),
  },
  {
    name: "length",
    expected: "token_limit_reached",
    stream: namedEvents(
      ...textDone(WORDS, "incomplete"),
      end("response.incomplete", response("incomplete", [partial], limit)),
    ),
    whole: JSON.stringify(response("incomplete", [partial], limit)),
  },
  {
    name: "tool calls",
    expected: "tool_calls",
    stream: namedEvents(
      ...callOpen(2),
      event("response.function_call_arguments.done", { item_id: "fc_1", output_index: 0, arguments: call.arguments }),
      event("response.output_item.done", { output_index: 0, item: call }),
      end("response.completed", response("completed", [call])),
    ),
    whole: JSON.stringify(response("completed", [call])),
  },
  {
    name: "length within a call",
    expected: "token_limit_reached",
    stream: namedEvents(
      ...callOpen(1),
      end(
        "response.incomplete",
        response("incomplete", [{ ...call, status: "incomplete", arguments: ARGUMENTS[0] }], limit),
      ),
    ),
  },
  {
    name: "content filter",
    expected: "content_filtered",
    stream: namedEvents(
      ...textDone(WORDS, "incomplete"),
      end("response.incomplete", response("incomplete", [partial], filter)),
    ),
    whole: JSON.stringify(response("incomplete", [partial], filter)),
  },
  {
    name: "refusal",
    expected: "content_filtered",
    stream: namedEvents(
      ...begin(),
      event("response.output_item.added", {
        output_index: 0,
        item: { ...refused, status: "in_progress", content: [] },
      }),
      event("response.content_part.added", {
        item_id: "msg_1",
        output_index: 0,
        content_index: 0,
        part: { type: "refusal", refusal: "" },
      }),
      event("response.refusal.delta", {
        item_id: "msg_1",
        output_index: 0,
        content_index: 0,
        delta: "I cannot help with that.",
      }),
      event("response.refusal.done", {
        item_id: "msg_1",
        output_index: 0,
        content_index: 0,
        refusal: "I cannot help with that.",
      }),
      event("response.output_item.done", { output_index: 0, item: refused }),
      end("response.completed", response("completed", [refused])),
    ),
    whole: JSON.stringify(response("completed", [refused])),
  },
  {
    name: "empty answer",
    expected: "natural_completion",
    stream: namedEvents(...begin(), end("response.completed", response("completed", []))),
    whole: JSON.stringify(response("completed", [])),
  },
  {
    name: "failed",
    expected: "error_termination",
    stream: namedEvents(...textOpen(WORDS), end("response.failed", response("failed", [], failure))),
    whole: JSON.stringify(response("failed", [], failure)),
  },
  {
    name: "cancelled",
    expected: "cancelled",
    stream: namedEvents(...textOpen(WORDS), end("response.cancelled", response("cancelled", [partial]))),
    whole: JSON.stringify(response("cancelled", [partial])),
  },
  { name: "empty body", expected: "error_termination", stream: "", whole: "" },
  {
    name: "error in mid-stream",
    expected: "error_termination",
    stream: namedEvents(
      ...textOpen(WORDS.slice(0, 2)),
      event("error", { code: "server_error", message: "The server had an error.", param: null }),
    ),
  },
  {
    name: "connection breaks in mid-stream",
    expected: "error_termination",
    stream: cut(namedEvents(...textOpen(WORDS)), 0.9),
    whole: cut(JSON.stringify(response("completed", [message(text)]))),
    connection: "break",
  },
  {
    name: "body ends in mid-stream",
    expected: "error_termination",
    stream: cut(namedEvents(...textOpen(WORDS)), 0.9),
    whole: cut(JSON.stringify(response("completed", [message(text)]))),
  },
  {
    name: "connection breaks before the finish",
    expected: "error_termination",
    stream: namedEvents(...textDone(WORDS)),
    connection: "break",
  },
  { name: "body ends before the finish", expected: "error_termination", stream: namedEvents(...textDone(WORDS)) },
  { name: "body ends within a call", expected: "error_termination", stream: namedEvents(...callOpen(1)) },
  {
    name: "a chunk that is no JSON",
    expected: "error_termination",
    stream: namedEvents(
      ...textOpen(WORDS.slice(0, 1)),
      'event: response.output_text.delta\ndata: {"type": "response.output_text.delta", "delta": "of Fr\n\n',
      end("response.completed", response("completed", [message(WORDS[0] ?? "")])),
    ),
  },
  {
    name: "too many requests",
    expected: "error_termination",
    stream: JSON.stringify({ error: { message: "Rate limit reached", type: "requests", code: "rate_limit_exceeded" } }),
    whole: JSON.stringify({ error: { message: "Rate limit reached", type: "requests", code: "rate_limit_exceeded" } }),
    status: 429,
  },
  {
    name: "a loop until the limit",
    expected: "repetition_detected",
    said: "token_limit_reached",
    stream: namedEvents(
      ...textDone(LOOP, "incomplete"),
      end("response.incomplete", response("incomplete", [message(LOOP.join(""), "incomplete")], limit)),
    ),
    whole: JSON.stringify(response("incomplete", [message(LOOP.join(""), "incomplete")], limit)),
  },
]);
