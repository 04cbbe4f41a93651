// @ts-check
import { readFileSync } from "node:fs";
import { tokenize } from "../corpus.mjs";
import { createRandom } from "../random.mjs";
import { writeAnthropicMessages, writeOpenaiChat } from "../wire/dialects.mjs";

/** @typedef {"openai-chat" | "anthropic-messages"} Dialect */

/**
 * What the provider answers in one dialect.
 *
 * @typedef {object} Answer
 * @property {readonly string[]} frames Of the stream, one event each.
 * @property {string} whole The body of an answer in one piece.
 */

/**
 * One text as every provider says it, so that nobody has less to do than another.
 *
 * @typedef {object} Answers
 * @property {string} text
 * @property {Readonly<Record<Dialect, Answer>>} dialects
 */

const TEXT = new URL("../../CONTRIBUTING.md", import.meta.url);

/**
 * Writes an answer of so many tokens, one an event. A long one says the same again.
 *
 * @param {number} tokens
 * @returns {Answers}
 */
export function writeAnswers(tokens) {
  const { texts } = tokenize(readFileSync(TEXT, "utf8"));
  return writePieces(Array.from({ length: tokens }, (_, index) => texts[index % texts.length] ?? ""));
}

/** Stands where an answer says when it was written: see upstream.mjs. */
export const STAMP = "@stamp@";

/**
 * Writes an answer of so many pieces, each of which is to say when it was written.
 *
 * @param {number} count
 * @returns {Answers}
 */
export function writeStampedAnswers(count) {
  return writePieces(Array.from({ length: count }, () => `${STAMP} `));
}

/**
 * @param {readonly string[]} pieces
 * @returns {Answers}
 */
function writePieces(pieces) {
  const text = pieces.join("");
  return {
    text,
    dialects: {
      "openai-chat": { frames: framesOf(writeOpenaiChat(pieces, createRandom(1))), whole: wholeChat(text) },
      "anthropic-messages": {
        frames: framesOf(writeAnthropicMessages(pieces, createRandom(2))),
        whole: wholeMessage(text),
      },
    },
  };
}

/**
 * @param {string} stream
 * @returns {readonly string[]}
 */
function framesOf(stream) {
  return stream.split(/(?<=\n\n)/u);
}

/**
 * @param {string} text
 * @returns {string}
 */
function wholeChat(text) {
  return JSON.stringify({
    id: "chatcmpl-CYtgk0xcD8nlh",
    object: "chat.completion",
    created: 1_762_447_225,
    model: "gpt-4.1-mini-2025-04-14",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: text, refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 12, completion_tokens: 10, total_tokens: 22 },
    service_tier: "default",
    system_fingerprint: "fp_4c2851f862",
  });
}

/**
 * @param {string} text
 * @returns {string}
 */
function wholeMessage(text) {
  return JSON.stringify({
    model: "claude-sonnet-4-5-20250929",
    id: "msg_01CwSDnuQjEqbBBrNJ6n",
    type: "message",
    role: "assistant",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 12, output_tokens: 10, service_tier: "standard" },
  });
}
