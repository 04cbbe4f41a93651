// @ts-check
import { formatFactor, formatTime } from "../format.mjs";
import { writeTable } from "./table.mjs";

/**
 * A figure of ours and those that people want to see beside it, by their ids.
 *
 * @typedef {object} Highlight
 * @property {string} what
 * @property {import("../parts.mjs").PartName} part
 * @property {string} own
 * @property {Readonly<Record<string, string>>} beside By what they are called.
 */

const CHUNK = "stream/openai-chat/anthropic-messages";
const REQUEST = "whole/openai-chat/anthropic-messages";
const DELAY = "delay/openai-chat/openai-chat";
const CLIENT = "client/generated/openai-chat/16384";
const TRANSCODE = "transcode/generated/anthropic-messages/16384";

/** @type {readonly Highlight[]} */
const HIGHLIGHTS = [
  {
    what: "four stop strings, a token",
    part: "stop",
    own: "stop/fullstop",
    beside: {
      "rolling buffer with `includes`, always 9 characters late": "stop/rolling-buffer",
      "the same, no later than fullstop": "stop/minimal-rolling-buffer",
      "node-llama-cpp's detector": "stop/node-llama-cpp",
    },
  },
  {
    what: "10,000 random words as stop strings, a token",
    part: "stop",
    own: "growth/words/10000",
    beside: { "rolling buffer with `includes`": "growth/words/10000/rolling-buffer", "one word": "growth/words/1" },
  },
  {
    what: "loops, patterns of 10 to 100 characters, a token",
    part: "stop",
    own: "repetition/fullstop",
    beside: {
      "comparing slices for each length": "repetition/plain-slices",
      "the same with `startsWith`": "repetition/plain",
    },
  },
  { what: "every rule at once, a token", part: "stop", own: "whole/guard", beside: {} },
  {
    what: "decoding Chat Completions, an event",
    part: "wire",
    own: "decode/generated/openai-chat/16384",
    beside: { "TextDecoder, split, `JSON.parse`": "decode/generated/openai-chat/16384/floor" },
  },
  {
    what: "Anthropic's bytes in, Chat Completions' out, an event",
    part: "wire",
    own: `${TRANSCODE}/bytes`,
    beside: { "llm-bridge": `${TRANSCODE}/peer` },
  },
  {
    what: "client for Chat Completions, an event",
    part: "wire",
    own: CLIENT,
    beside: {
      "`openai`": `${CLIENT}/openaiSdkChat`,
      "`@ai-sdk/openai`": `${CLIENT}/aiSdkOpenaiChat`,
      "llm-bridge": `${CLIENT}/llmBridgeClient`,
    },
  },
  {
    what: "gateway, Chat Completions in front of Messages, every rule on: processor time of a chunk",
    part: "gateway",
    own: `${CHUNK}/fullstop`,
    beside: {
      "`@portkey-ai/gateway`": `${CHUNK}/portkey`,
      "AI SDK as a relay": `${CHUNK}/ai-sdk`,
      "LangChain.js as a relay": `${CHUNK}/langchain`,
      "llm-bridge as a relay": `${CHUNK}/llm-bridge`,
      "bare Node proxy that only parses": `${CHUNK}/bare`,
      "nginx, passing on only": `${CHUNK}/nginx`,
    },
  },
  {
    what: "gateway: how late a chunk is, one stream",
    part: "gateway",
    own: `${DELAY}/fullstop`,
    beside: { "no gateway": `${DELAY}/direct`, nginx: `${DELAY}/nginx`, "`@portkey-ai/gateway`": `${DELAY}/portkey` },
  },
  {
    what: "gateway: a whole answer, as many as can be served",
    part: "gateway",
    own: `${REQUEST}/fullstop`,
    beside: { "`@portkey-ai/gateway`": `${REQUEST}/portkey`, "bare Node proxy": `${REQUEST}/bare` },
  },
  {
    what: "local engine, every rule on, 1,000 tokens of Pip",
    part: "llama",
    own: "one/every-rule",
    beside: { "bare loop over node-llama-cpp": "one/bare" },
  },
  {
    what: "`fullstop pipe` with four stop strings, a megabyte",
    part: "pipe",
    own: "plain/fullstop",
    beside: { "a plain Node filter": "plain/naive", "`cat`": "plain/cat" },
  },
];

/**
 * The table of what people want to know first. The ratio says how many times as long the other one takes.
 *
 * @param {import("./read-results.mjs").AllResults} results
 * @returns {string}
 */
export function writeHighlights(results) {
  const rows = HIGHLIGHTS.flatMap((highlight) => listRows(highlight, results));
  return writeTable(["", "fullstop", "beside it", "ratio"], rows);
}

/**
 * A row for each that stands beside ours, of which the first says what it is about.
 *
 * @param {Highlight} highlight
 * @param {import("./read-results.mjs").AllResults} results
 * @returns {readonly (readonly string[])[]}
 */
function listRows({ what, part, own, beside }, { parts }) {
  const medianOf = (/** @type {string} */ id) =>
    parts.get(part)?.figures.find((figure) => figure.id === id)?.nanoseconds?.median;
  const ours = medianOf(own);
  if (ours === undefined) return [];
  const others = Object.entries(beside).flatMap(([label, id]) => {
    const median = medianOf(id);
    return median === undefined ? [] : [[`${label}: ${formatTime(median)}`, formatFactor(median / ours)]];
  });
  if (others.length === 0) return [[what, formatTime(ours), "", ""]];
  return others.map(([other = "", ratio = ""], index) =>
    index === 0 ? [what, formatTime(ours), other, ratio] : ["", "", other, ratio],
  );
}
