// @ts-check
import { FullstopError, compose, defineGuard, defineStopRules } from "fullstop";
import { WIRE_FORMATS } from "fullstop/wire";
import { EDITORS } from "../../packages/fullstop/dist/adapters/fetch/dialects/editors.js";
import { FramedEditing } from "../../packages/fullstop/dist/adapters/fetch/framed-editing.js";
import { readRuleHeader } from "../../packages/fullstop/dist/adapters/fetch/rule-headers.js";
import { WatchedAnswer } from "../../packages/fullstop/dist/adapters/fetch/watched-answer.js";
import { retryAfterOf } from "../../packages/fullstop/dist/engines/failures.js";
import { attempt, collect, cutsOfBytes, hold, holdSame, jsonOf, toText } from "../oracle.mjs";
import { ANSWER_SEEDS, ANSWER_WORDS } from "./answer-seeds.mjs";
import { textsOf } from "./events.mjs";
import { PLACE_SEEDS } from "./fetch-seeds.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */
/** @typedef {keyof typeof WIRE_FORMATS} Dialect */

const STOP = "France is";

/**
 * What comes out of the editing under a provider's client.
 *
 * @param {Dialect} dialect
 * @param {readonly Uint8Array[]} pieces
 * @param {readonly (string | import("fullstop").StopString)[]} stop
 */
function edit(dialect, pieces, stop) {
  /** @type {Uint8Array[]} */
  const out = [];
  const watched = new WatchedAnswer(WIRE_FORMATS[dialect].decodeStream({ status: 200 }), defineGuard({ stop }));
  const editing = new FramedEditing(watched, EDITORS[dialect], "stream", (bytes) => void out.push(bytes));
  for (const piece of pieces) editing.push(piece);
  editing.end();
  return { bytes: Buffer.concat(out), ending: watched.ending };
}

/**
 * What is read of an answer. Half a character that stands alone counts as one that is missing: the guard lets go of it
 * as such, and what no rule ends stays as it came.
 *
 * @param {readonly import("fullstop").GenerationEvent[]} events
 */
function readingsOf(events) {
  const { text, reasoning } = textsOf(events);
  return { text: text.toWellFormed(), reasoning: reasoning.toWellFormed() };
}

/**
 * The arguments of all calls, read in the same way.
 *
 * @param {readonly import("fullstop").GenerationEvent[]} events
 */
function argumentsIn(events) {
  return events
    .map((event) => (event.type === "tool-call-delta" ? event.json : ""))
    .join("")
    .toWellFormed();
}

/** A rule for everything that is said. */
const EVERYWHERE = /** @type {const} */ ({ text: STOP, scope: "all" });

/**
 * Thinking and arguments are cut as text is, where a rule looks at them.
 *
 * @param {Dialect} dialect
 * @param {Uint8Array} input
 * @param {boolean} isReadable
 */
function checkEverywhere(dialect, input, isReadable) {
  const format = WIRE_FORMATS[dialect];
  const { bytes, ending } = edit(dialect, [input], [EVERYWHERE]);
  if (ending?.by !== "rule") {
    hold(bytes.equals(input), "nothing is changed without a match anywhere", toText(bytes));
    return;
  }
  const shown = collect(format.decodeStream(), [bytes]);
  const guarded = collect(compose(format.decodeStream(), defineGuard({ stop: [EVERYWHERE] })), [input]);
  if (!isReadable) return;
  holdSame(readingsOf(shown), readingsOf(guarded), "what is seen anywhere is what the guard lets through");
  // Half a call cannot be said in every dialect, and one that has only a name yet is read at the end.
  const json = argumentsIn(guarded);
  const seen = argumentsIn(shown).replace(/(?:\{"input":")+$/u, "");
  hold(json.startsWith(seen), "what is seen of arguments is what the guard lets through", { seen, json });
}

/**
 * @param {Dialect} dialect
 * @returns {Target}
 */
function editingTarget(dialect) {
  const format = WIRE_FORMATS[dialect];
  return {
    name: `fetch-${dialect}`,
    files: new RegExp(
      `fullstop/dist/adapters/fetch/(?:dialects/(?:${dialect}|editor)|[\\w-]*editing|frame-splitter|payload|watched)`,
      "u",
    ),
    seeds: [...ANSWER_SEEDS[dialect], ...(PLACE_SEEDS[dialect] ?? [])],
    words: [...ANSWER_WORDS, STOP, "France", " is"],
    run(input) {
      const read = (/** @type {Uint8Array} */ bytes) => collect(format.decodeStream(), [bytes]);
      const untouched = edit(dialect, [input], ["\u{10FFFF}never\u{10FFFF}"]);
      hold(
        untouched.bytes.equals(input),
        "an answer that no rule ends stays as it is, to the byte",
        toText(untouched.bytes),
      );
      const whole = edit(dialect, [input], [STOP]);
      const { text } = textsOf(read(whole.bytes));
      const source = toText(input).replace(/^\uFEFF/u, "");
      const isEndedByRule = whole.ending?.by === "rule";
      // Objects with something around them, and those between events, are neither JSON nor events: no client reads them,
      // and what can be shown of them is.
      const isReadable = /^\s*[{[]/u.test(source)
        ? jsonOf(source) !== undefined
        : /^data:/mu.test(source) && !/^\s*[{[]/mu.test(source);
      checkEverywhere(dialect, input, isReadable);
      if (!isEndedByRule) hold(whole.bytes.equals(input), "nothing is changed without a match", toText(whole.bytes));
      else {
        hold(!text.includes(STOP), "nothing of a match is seen", text);
        const guarded = collect(compose(format.decodeStream(), defineGuard({ stop: [STOP] })), [input]);
        if (isReadable) holdSame(text, textsOf(guarded).text, "what is seen is what the guard lets through");
      }
      for (const pieces of cutsOfBytes(input)) {
        const other = edit(dialect, pieces, [STOP]);
        holdSame(other.ending, whole.ending, "cuts do not matter to the ending");
        if (isEndedByRule) holdSame(textsOf(read(other.bytes)).text, text, "cuts do not matter to the text");
        else hold(other.bytes.equals(input), "cuts do not matter to the bytes", toText(other.bytes));
      }
      return `${whole.ending?.by ?? "open"}/${whole.ending?.signal.reason ?? ""}`;
    },
  };
}

/** @type {Target} */
const ruleHeader = {
  name: "rule-header",
  files:
    /fullstop\/dist\/(?:adapters\/fetch\/rule-headers|stop\/stop-rules|stop\/(?:repetition|stop-strings)|check)\.js$/u,
  seeds: [
    '{"stop":["END"],"repetition":{"minRepetitions":3},"maxCharacters":5}',
    "[]",
    '{"stop":[{"text":"a","scope":"all"}],"maxCost":1}',
  ],
  words: [
    "stop",
    "repetition",
    "scope",
    "text",
    "all",
    "maxTokens",
    "maxCharacters",
    "include",
    "eosTokenIds",
    "trim",
    "windowSize",
  ],
  run(input) {
    const rules = attempt(() => defineStopRules(readRuleHeader(toText(input))), [FullstopError]);
    return "refusal" in rules ? rules.refusal.message.replaceAll(/\d|, got .*/gsu, "").slice(0, 60) : "rules";
  },
};

/** @type {Target} */
const retryAfter = {
  name: "retry-after",
  files: /fullstop\/dist\/engines\/failures\.js$/u,
  seeds: ["7", "\n1500", "Thu, 01 Jan 2026 00:00:00 GMT", "0.5\nx", "-1", "99999999999999999999999999", "1e9", "\n"],
  words: ["Thu, 01 Jan 2026 00:00:00 GMT", "9999999999", ".", "1e3", "Infinity", "-", "+275760-09-13"],
  run(input) {
    const [after = "", milliseconds] = toText(input).split("\n");
    const now = Date.UTC(2025, 0, 1);
    const headers = { get: (/** @type {string} */ name) => (name === "retry-after" ? after : (milliseconds ?? null)) };
    const wait = retryAfterOf(headers, now);
    if (wait === undefined) return "none";
    hold(wait >= 0 && wait <= Number.MAX_SAFE_INTEGER, "a wait is a time that can be told", wait);
    if (milliseconds === undefined && /^\d{1,9}$/u.test(after))
      holdSame(wait, Number(after) * 1000, "seconds are seconds");
    return wait === 0 ? "now" : "later";
  },
};

/** What stands under a provider's own client. */
export const FETCH_TARGETS = [
  .../** @type {Dialect[]} */ (Object.keys(WIRE_FORMATS)).map((dialect) => editingTarget(dialect)),
  ruleHeader,
  retryAfter,
];
