// @ts-check
import { createRandom } from "../random.mjs";

/**
 * What happens to one stream: how its provider answers and what its client does. The provider and the client are
 * processes of their own; both work it out from the script and the number of the stream.
 *
 * @typedef {object} Plan
 * @property {number} number
 * @property {Dialect} door What the client speaks.
 * @property {Dialect} provider What the provider speaks.
 * @property {readonly string[]} thinking
 * @property {readonly string[]} pieces Of the text.
 * @property {number} gap Milliseconds between two pieces.
 * @property {Fault} fault
 * @property {number} faultAt How many pieces come before the fault.
 * @property {Conduct} conduct
 * @property {number} after Milliseconds until the client does what it does.
 */

/** @typedef {"openai-chat" | "openai-responses" | "anthropic-messages" | "gemini"} Dialect */

/** @type {readonly Dialect[]} */
export const DIALECTS = ["openai-chat", "openai-responses", "anthropic-messages", "gemini"];

/** What can be wrong with an answer. A `drip` is only slow, and comes in pieces that respect no frame. */
const FAULTS = /** @type {const} */ ([
  "close",
  "cut",
  "reset",
  "in-band",
  "stall",
  "silent",
  "garbage",
  "page",
  "status-429",
  "status-500",
  "drip",
  "repetition",
]);

/** @typedef {"none" | (typeof FAULTS)[number]} Fault */

/**
 * What a client does: reads to the end, has it stopped, or leaves, with or without wanting the answer to go on. Those
 * that leave early do so before anything has come.
 *
 * @typedef {"read" | "stop" | "finish-sentence" | "leave" | "leave-early" | "leave-running"} Conduct
 */

/** @type {readonly (readonly [share: number, conduct: Conduct])[]} */
const CONDUCTS = [
  [0.5, "read"],
  [0.68, "stop"],
  [0.73, "finish-sentence"],
  [0.84, "leave"],
  [0.92, "leave-early"],
  [1, "leave-running"],
];

/** How often a line comes that a model repeats without end. */
const REPETITIONS = 400;

/** The faults after which an answer cannot end well. */
export const FAILURES = new Set(
  /** @type {Fault[]} */ ([
    "close",
    "cut",
    "reset",
    "in-band",
    "stall",
    "silent",
    "garbage",
    "page",
    "status-429",
    "status-500",
  ]),
);

/**
 * What all plans of a run come from.
 *
 * @typedef {object} Script
 * @property {number} seed
 * @property {number} pace How many times the usual time lies between two pieces.
 */

/**
 * Plans one stream.
 *
 * @param {Script} script
 * @param {number} number
 * @returns {Plan}
 */
export function planStream({ seed, pace }, number) {
  const random = createRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const between = (/** @type {number} */ low, /** @type {number} */ high) => low + Math.floor(random() * (high - low));
  const door = DIALECTS[between(0, DIALECTS.length)] ?? "openai-chat";
  const provider = DIALECTS[between(0, DIALECTS.length)] ?? "openai-chat";
  const fault = random() < 0.5 ? "none" : (FAULTS[between(0, FAULTS.length)] ?? "none");
  const thinks = random() < 0.3;
  const share = random();
  const conduct = CONDUCTS.find(([most]) => share < most)?.[1] ?? "read";
  const thinking = thinks ? words(`t${number}`, between(2, 6)) : [];
  const pieces = fault === "repetition" ? loop(number) : words(`w${number}`, between(8, 22));
  const gap = fault === "repetition" ? 50 : Math.round(pace * between(1000, 2000));
  const length = (thinking.length + pieces.length) * gap;
  return {
    number,
    door,
    provider,
    thinking,
    pieces,
    gap,
    fault,
    faultAt: between(0, thinking.length + pieces.length),
    conduct,
    after: conduct === "leave-early" ? between(0, 150) : between(0, Math.min(length, 10_000)),
  };
}

/** Everything that a plan's answer says, if nothing goes wrong. */
export const textOf = (/** @type {Plan} */ { pieces }) => pieces.join("");

/** Everything that it thinks before. */
export const thinkingOf = (/** @type {Plan} */ { thinking }) => thinking.join("");

/**
 * Pieces that are all different, so that none can be lost, doubled or taken for another's. Every tenth ends a sentence.
 *
 * @param {string} stem
 * @param {number} count
 * @returns {string[]}
 */
function words(stem, count) {
  return Array.from({ length: count }, (_, index) => `${stem}.${index}ü${index % 10 === 9 ? ". " : " "}`);
}

/**
 * @param {number} number
 * @returns {string[]}
 */
function loop(number) {
  return Array.from({ length: REPETITIONS }, () => `The same line of ${number} once more.\n`);
}
