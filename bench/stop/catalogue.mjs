// @ts-check
import { FOUR_STOPS, SELF_SIMILAR_STOP, closingTags, randomWords } from "./stop-sets.mjs";

/**
 * What is measured, on what, and how often.
 *
 * @typedef {object} Subject
 * @property {import("./worker.mjs").SubjectName} subject
 * @property {import("./subject.mjs").SubjectOptions} options
 * @property {TokenSetName} tokens
 * @property {number} [count] How many of them, from the start again where there are not enough; all, if not given.
 * @property {number} [rounds] Where a pass takes seconds: how many are enough.
 *
 * @typedef {import("../report.mjs").Row & Subject} Entry
 */

/** @typedef {"markdown" | "loop-free" | "letters" | "few-letters" | "none"} TokenSetName */

/** The plain settings, and the two that differ in nothing but the longest period. */
export const PLAIN_SETTINGS = { minPatternLength: 10, maxPatternLength: 100, minRepetitions: 3, windowSize: 1000 };
export const PERIOD_100 = { minPatternLength: 10, maxPatternLength: 100, minRepetitions: 8, windowSize: 20_000 };
export const PERIOD_2000 = { ...PERIOD_100, maxPatternLength: 2000 };

/** Every rule there is, set so that none of them fires. */
export const EVERY_RULE = {
  stop: FOUR_STOPS,
  repetition: true,
  maxTokens: 1e9,
  maxReasoningTokens: 1e9,
  maxCharacters: 1e12,
  maxMilliseconds: 1e12,
  maxCost: { amount: 1e9, perToken: 1e-6 },
  eosTokenIds: [199_999, 200_002],
  stopTokenIds: [200_012],
  minTokens: 16,
};

const COUNTS = [1, 10, 100, 1000, 10_000];
/** So many tokens are enough for those who search for each string: with 10,000 of them a token takes 0.1 ms and more. */
const SEARCHED_TOKENS = 500;
const ANSWERS = [10, 100, 1000, 10_000, 100_000, 1_000_000];
/** Whoever looks through the whole answer again takes a second for one of 10,000 tokens. */
const LONGEST_SEARCHED_ANSWER = 10_000;
const COMPILED = 100_000;
/** Where a pass takes the better part of a second. */
const FEW_ROUNDS = 5;

/** @type {readonly import("../report.mjs").Section<Entry>[]} */
export const SECTIONS = [
  {
    title: "Stop strings",
    note: `${FOUR_STOPS.map((stop) => JSON.stringify(stop)).join(", ")} on Markdown`,
    entries: [
      guardEntry("stop/fullstop", "fullstop", { stop: FOUR_STOPS }),
      {
        id: "stop/rolling-buffer",
        label: "(a) rolling buffer, always holds 9",
        subject: "rollingBuffer",
        options: { stops: FOUR_STOPS },
        tokens: "markdown",
        per: "token",
        beside: "stop/fullstop",
      },
      {
        id: "stop/minimal-rolling-buffer",
        label: "(a2) rolling buffer, minimal hold",
        subject: "minimalRollingBuffer",
        options: { stops: FOUR_STOPS },
        tokens: "markdown",
        per: "token",
        beside: "stop/fullstop",
      },
      {
        id: "stop/node-llama-cpp",
        label: "(b) node-llama-cpp, its detector",
        subject: "nodeLlamaCpp",
        options: { stops: FOUR_STOPS },
        tokens: "markdown",
        per: "token",
        beside: "stop/fullstop",
      },
      {
        id: "stop/node-llama-cpp-both",
        label: "(b2) both detectors it runs",
        subject: "nodeLlamaCpp",
        options: { stops: FOUR_STOPS, secondDetector: true },
        tokens: "markdown",
        per: "token",
        beside: "stop/fullstop",
      },
    ],
  },
  {
    title: "Growth, strings of one kind",
    note: "fullstop with closing tags such as </answer-00017> on Markdown",
    entries: growthEntries("tags", closingTags),
  },
  {
    title: "Growth, the worst kind",
    note: "fullstop with random words of ten lower-case letters on Markdown",
    entries: [
      ...growthEntries("words", randomWords),
      ...COUNTS.map((count) => ({
        id: `growth/words/${count}/rolling-buffer`,
        label: `rolling buffer, ${describeCount(count)}`,
        subject: /** @type {const} */ ("rollingBuffer"),
        options: { stops: randomWords(count) },
        tokens: /** @type {const} */ ("markdown"),
        count: SEARCHED_TOKENS,
        per: "token",
        beside: `growth/words/${count}`,
      })),
    ],
  },
  {
    title: "Growth, the length of an answer",
    note: "every rule on; beside it, four stop strings looked for in the whole answer after every token",
    entries: [
      ...ANSWERS.map((count) => ({
        ...guardEntry(`growth/tokens/${count}`, `fullstop, ${count.toLocaleString("en")} tokens`, EVERY_RULE, true),
        count,
        rounds: FEW_ROUNDS,
        ...(count !== ANSWERS[0] && { beside: `growth/tokens/${ANSWERS[0]}` }),
      })),
      ...ANSWERS.filter((count) => count <= LONGEST_SEARCHED_ANSWER).map((count) => ({
        id: `growth/tokens/${count}/whole-text`,
        label: `whole answer searched, ${count.toLocaleString("en")}`,
        subject: /** @type {const} */ ("wholeText"),
        options: { stops: FOUR_STOPS },
        tokens: /** @type {const} */ ("markdown"),
        count,
        rounds: FEW_ROUNDS,
        per: "token",
        beside: `growth/tokens/${count}`,
      })),
    ],
  },
  {
    title: "Self-similar stop string",
    note: `"aaaa…b" (64 times a, then b) on the token "aaaa"; ratio to the four strings on Markdown above`,
    entries: [
      {
        ...guardEntry("self-similar/fullstop", "fullstop", { stop: SELF_SIMILAR_STOP }),
        tokens: "letters",
        beside: "stop/fullstop",
      },
      {
        id: "self-similar/node-llama-cpp",
        label: "(b) node-llama-cpp",
        subject: "nodeLlamaCpp",
        options: { stops: [SELF_SIMILAR_STOP] },
        tokens: "few-letters",
        per: "token",
        beside: "stop/node-llama-cpp",
      },
    ],
  },
  {
    title: "Repetition, the plain settings",
    note: "patterns of 10 to 100 characters, 3 times, in the last 1,000; on Markdown without the lines that are loops",
    entries: [
      repetitionEntry("repetition/fullstop", "fullstop", PLAIN_SETTINGS),
      {
        id: "repetition/plain",
        label: "(c) the plain algorithm, startsWith",
        subject: "plainRepetition",
        options: { settings: PLAIN_SETTINGS, compare: "in place" },
        tokens: "loop-free",
        per: "token",
        beside: "repetition/fullstop",
      },
      {
        id: "repetition/plain-slices",
        label: "(c2) the same, comparing slices",
        subject: "plainRepetition",
        options: { settings: PLAIN_SETTINGS, compare: "slices" },
        tokens: "loop-free",
        per: "token",
        beside: "repetition/fullstop",
      },
    ],
  },
  {
    title: "Repetition, longest period",
    note: "fullstop, 8 times in the last 20,000, on the same text; then the default profile, periods up to 2,032",
    entries: [
      repetitionEntry("repetition/100", "periods up to 100", PERIOD_100),
      { ...repetitionEntry("repetition/2000", "periods up to 2,000", PERIOD_2000), beside: "repetition/100" },
      { ...repetitionEntry("repetition/default", "default profile", true), beside: "repetition/100" },
    ],
  },
  {
    title: "The whole",
    note: "every rule on: 4 stop strings, default repetition, end and stop tokens, all limits, time, money, minTokens",
    entries: [
      { ...guardEntry("whole/guard", "text guard, every rule on", EVERY_RULE, true) },
      {
        id: "whole/generation",
        label: "runGeneration with that guard",
        subject: "generation",
        options: { rules: EVERY_RULE },
        tokens: "markdown",
        per: "event",
      },
      {
        id: "whole/splitter",
        label: "reasoning splitter, by text",
        subject: "reasoningSplitter",
        options: {},
        tokens: "markdown",
        per: "token",
      },
    ],
  },
  {
    title: "Compiling",
    note: "100,000 stop strings, paid once",
    entries: [
      compileEntry("compile/tags", "closing tags", closingTags(COMPILED)),
      compileEntry("compile/words", "random words", randomWords(COMPILED)),
    ],
  },
];

/**
 * @param {string} id
 * @param {string} label
 * @param {import("fullstop").StopRuleOptions} rules
 * @param {boolean} [passIds]
 * @returns {Entry}
 */
function guardEntry(id, label, rules, passIds = false) {
  return { id, label, subject: "textGuard", options: { rules, passIds }, tokens: "markdown", per: "token" };
}

/**
 * @param {string} id
 * @param {string} label
 * @param {true | import("fullstop").RepetitionSettings} repetition
 * @returns {Entry}
 */
function repetitionEntry(id, label, repetition) {
  return { ...guardEntry(id, label, { repetition }), tokens: "loop-free" };
}

/**
 * @param {string} kind
 * @param {(count: number) => string[]} stopsOf
 * @returns {Entry[]}
 */
function growthEntries(kind, stopsOf) {
  return COUNTS.map((count) => {
    const entry = guardEntry(`growth/${kind}/${count}`, describeCount(count), { stop: stopsOf(count) });
    return count === 1 ? entry : Object.assign(entry, { beside: `growth/${kind}/1` });
  });
}

/**
 * @param {number} count
 * @returns {string}
 */
function describeCount(count) {
  return count === 1 ? "1 string" : `${count.toLocaleString("en")} strings`;
}

/**
 * @param {string} id
 * @param {string} label
 * @param {readonly string[]} stop
 * @returns {Entry}
 */
function compileEntry(id, label, stop) {
  return {
    id,
    label,
    subject: "compile",
    options: { rules: { stop } },
    tokens: "none",
    per: "call",
    rounds: FEW_ROUNDS,
  };
}
