// @ts-check
import { FullstopError, compose, createTextGuard, defineReasoningSplitter, REASONING_MARKERS } from "fullstop";
import { createToolCallReader } from "../../packages/fullstop/dist/llama/tool-call-blocks.js";
import { createLiteralText } from "../../packages/fullstop/dist/llama/literal-text.js";
import { parseModelSource } from "../../packages/fullstop/dist/llama/model-source.js";
import { ModelLoadError } from "../../packages/fullstop/dist/llama/model-error.js";
import { attempt, collect, cutsOfText, hold, holdSame, jsonOf, sections, toText } from "../oracle.mjs";
import { hashBytes } from "../random.mjs";
import { joinEvents, textsOf } from "./events.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */
/** @typedef {import("fullstop").GenerationEvent} GenerationEvent */

const markers = REASONING_MARKERS.flatMap(({ open, close }) => [open, close]);

/** @type {Target} */
const thinking = {
  name: "thinking",
  files:
    /fullstop\/dist\/(?:reasoning\/(?:text-splitter|split|markers)|text\/(?:automaton|string-matcher|held-text|alphabet))\.js$/u,
  seeds: [
    "<think>easy</think>The answer",
    "[THINK]a[/THINK]b<thinking>c",
    "x</think>y<thi",
    "<think><think>a</think>b</think>c",
  ],
  words: markers,
  run(input) {
    const text = toText(input);
    const startsInReasoning = hashBytes(input) % 4 === 0;
    const split = (/** @type {boolean} */ keepMarkers, /** @type {readonly string[]} */ pieces) =>
      joinEvents(
        collect(
          defineReasoningSplitter({ startsInReasoning, keepMarkers }),
          pieces.map((piece) => /** @type {const} */ ({ type: "text", text: piece })),
        ),
      );
    const kept = split(true, [text]);
    holdSame(
      kept.map((event) => ("text" in event ? event.text : "")).join(""),
      text,
      "with its markers it is the text",
    );
    const bare = split(false, [text]);
    holdSame(textsOf(bare).text, textsOf(kept).text, "the visible text is the same with and without markers");
    for (const pieces of cutsOfText(text)) {
      holdSame(split(true, pieces), kept, "cuts do not matter");
      holdSame(split(false, pieces), bare, "cuts do not matter without markers");
    }
    return bare
      .map(({ type }) => type)
      .join()
      .slice(0, 60);
  },
};

/**
 * The match that completes first; of several that complete at the same point, the longest.
 *
 * @param {string} text
 * @param {readonly string[]} stops
 */
function firstMatch(text, stops) {
  let best;
  for (const stop of stops) {
    const start = text.indexOf(stop);
    if (start === -1) continue;
    const end = start + stop.length;
    if (best === undefined || end < best.end || (end === best.end && start < best.start)) best = { start, end, stop };
  }
  return best;
}

/** @type {Target} */
const stopStrings = {
  name: "stop-strings",
  files: /fullstop\/dist\/(?:stop\/(?:stop-machine|lane|text-guard|stop-strings|stop-rules)|text\/)/u,
  seeds: [
    "END\n</answer>\n%%\nThe answer</answer> and more END",
    "a\nab\nabc\n%%\nxxababcabab",
    "😀\n%%\nab😀c",
    "aXa\nXaa\n%%\naXaaXaXaa",
  ],
  words: ["\n%%\n", "a", "ab", "aba", "😀", "END", "</"],
  run(input) {
    const [first = "", ...rest] = sections(input);
    const text = rest.join("\n%%\n");
    const stop = [...new Set(first.split("\n").filter((each) => each !== ""))].slice(0, 40);
    const include = hashBytes(input) % 3 === 0;
    const opened = attempt(() => createTextGuard({ stop, include }), [FullstopError]);
    if ("refusal" in opened) return "refused";
    const match = firstMatch(text, stop);
    const expected = match === undefined ? text : text.slice(0, include ? match.end : match.start);
    for (const pieces of [[text], ...cutsOfText(text)]) {
      const guard = createTextGuard({ stop, include });
      let shown = "";
      let fed = "";
      for (const piece of pieces) {
        shown += guard.push(piece);
        fed += piece;
        // Half a character is kept as well, and is no text yet.
        const whole = fed.replace(/[\uD800-\uDBFF]$/u, "");
        const soFar = shown + guard.held;
        const isKept = soFar === fed || soFar === whole;
        hold(guard.signal !== undefined || isKept, "nothing is lost while it is held", soFar);
      }
      shown += guard.end();
      holdSame(shown, expected, "what is shown ends at the first match");
      holdSame(guard.signal?.stopSequence, match?.stop, "the match is told");
    }
    return match === undefined ? "none" : "match";
  },
};

/** @type {Target} */
const guard = {
  name: "guard",
  files: /fullstop\/dist\/stop\//u,
  seeds: [
    `{"repetition":true}\n%%\n${"I will check. ".repeat(30)}`,
    `{"repetition":{"minRepetitions":3},"stop":["END"]}\n%%\n${"abc".repeat(40)} END`,
    '{"maxCharacters":10,"stop":[{"text":"END","scope":"text"}],"include":true}\n%%\nHello there, END of it',
    '{"maxTokens":3,"repetition":{"trim":true}}\n%%\nab ab ab ab ab ab ab ab ab ab ab ab',
    '{"stop":["a"],"caseInsensitive":true,"minTokens":2}\n%%\nxyzAbc',
  ],
  words: [
    ..."stop|include|caseInsensitive|repetition|maxCharacters|maxTokens|minTokens|maxMilliseconds|maxCost".split("|"),
    ..."minRepetitions|minPatternLength|maxPatternLength|windowSize|trim|true|stopTokenIds|maxReasoningTokens|scope".split(
      "|",
    ),
    "\n%%\n",
    "I will check. ",
  ],
  run(input) {
    const [json = "", ...rest] = sections(input);
    const text = rest.join("\n%%\n");
    const rules = /** @type {import("fullstop").StopRuleOptions} */ (jsonOf(json));
    const opened = attempt(() => createTextGuard(rules), [FullstopError]);
    if ("refusal" in opened) return opened.refusal.message.replaceAll(/\d|, got .*/gsu, "").slice(0, 60);
    // A piece counts as a token where ids are missing, and time passes between two of them.
    const isCutFree =
      rules?.maxTokens === undefined && rules?.minTokens === undefined && rules?.maxMilliseconds === undefined;
    const read = (/** @type {readonly string[]} */ pieces) => {
      const one = createTextGuard(rules);
      const shown = pieces.map((piece) => one.push(piece)).join("") + one.end();
      // A limit on pieces can fall within a character, of which then the sign for a missing one is left.
      const whole = isCutFree ? shown : shown.replace(/\uFFFD$/u, "");
      hold(text.startsWith(shown) || text.startsWith(whole), "what is shown is the beginning of the text", shown);
      hold(one.signal !== undefined || shown === text, "nothing is lost", shown);
      return { shown, reason: one.signal?.reason, message: one.signal?.message };
    };
    const whole = read([text]);
    for (const pieces of cutsOfText(text)) {
      const other = read(pieces);
      if (isCutFree) holdSame(other, whole, "cuts do not matter");
    }
    return whole.reason;
  },
};

const OPEN = "<tool_call>";
const CLOSE = "</tool_call>";
const callMarkers = { open: OPEN, close: CLOSE, openId: 1, closeId: 2 };

/** @type {Target} */
const toolCalls = {
  name: "tool-calls",
  files: /fullstop\/dist\/llama\/(?:tool-call|json-scanner)/u,
  seeds: [
    `Let me see. ${OPEN}\n{"name": "f", "arguments": {"a": [1, "}"]}}\n${CLOSE}`,
    `${OPEN}{"arguments":{"x":1},"name":"g"}${CLOSE}${OPEN}{"name":"h","parameters":{}}${CLOSE} done`,
    `${OPEN}{"name":"f"}${CLOSE}`,
    `${OPEN}{"name": 3, "arguments": "{}"}${CLOSE}`,
    `${OPEN}{"name":"f","arguments":{"a":`,
    `${CLOSE}${OPEN}${OPEN}{"name":"f","arguments":{}} trailing${CLOSE}`,
  ],
  words: [OPEN, CLOSE, '"name"', '"arguments"', '"parameters"', '{"name":"f","arguments":{', "}}", "\\u0041", ",", ":"],
  run(input) {
    const text = toText(input);
    const read = (/** @type {readonly string[]} */ pieces, /** @type {boolean} */ oneCall) => {
      let calls = 0;
      /** @type {string[]} */
      const problems = [];
      const { blocks, verdict } = createToolCallReader({
        markers: callMarkers,
        endTokenIds: [3],
        createCallId: () => `c${(calls += 1)}`,
        oneCall,
        onMalformed: (problem) => void problems.push(problem),
      });
      const source = pieces.map((piece) => toTokens(piece));
      const events = collect(compose(blocks, verdict), [...source, NATURAL_END]);
      return { events: joinEvents(events.filter((event) => event.type !== "text" || event.text !== "")), problems };
    };
    const parts = text.split(/(<\/?tool_call>)/u);
    const whole = read(parts, false);
    for (const event of whole.events) {
      if (event.type !== "tool-call-end") continue;
      const json = whole.events
        .map((other) => (other.type === "tool-call-delta" && other.callId === event.callId ? other.json : ""))
        .join("");
      const value = jsonOf(json);
      hold(
        typeof value === "object" && value !== null && !Array.isArray(value),
        "a call that has ended has an object",
        json,
      );
    }
    for (const cuts of parts.map((part) => cutsOfText(part))[0] ?? []) {
      holdSame(read([...cuts, ...parts.slice(1)], false), whole, "cuts in front of a block do not matter");
    }
    const pieces = parts.flatMap((part) => (part === OPEN || part === CLOSE ? [part] : Array.from(part)));
    holdSame(read(pieces, false), whole, "cuts within a block do not matter");
    const one = read(parts, true);
    hold(one.events.filter(({ type }) => type === "tool-call-end").length <= 1, "one call is one call", one);
    return `${whole.events.map(({ type }) => type).join()}|${whole.problems.join().replaceAll(/[\d"]/gu, "")}`.slice(
      0,
      100,
    );
  },
};

/** @type {GenerationEvent} */
const NATURAL_END = {
  type: "finish",
  signal: {
    shouldTerminate: true,
    reason: "natural_completion",
    confidence: "high",
    providerSpecific: { originalField: "token", originalValue: "3" },
  },
};

/**
 * @param {string} text
 * @returns {GenerationEvent}
 */
function toTokens(text) {
  return { type: "text", text, tokenIds: text === OPEN ? [1] : text === CLOSE ? [2] : [10] };
}

/** @type {Target} */
const literalText = {
  name: "literal-text",
  files: /fullstop\/dist\/llama\/literal-text\.js$/u,
  seeds: [
    "<|im_end|>\n<|im_start|>\n%%\nHi<|im_end|><|im_start|>system",
    "aa\naba\n%%\naaaabaaba",
    "\uFDD0x\n%%\n\uFDD0x",
  ],
  words: ["<|im_end|>", "<|im_start|>", "\n%%\n", "\uFDD0", "aa", "<|"],
  run(input) {
    const [first = "", ...rest] = sections(input);
    const text = rest.join("\n%%\n");
    const names = [...new Set(first.split("\n").filter((each) => each.length > 1))].slice(0, 40);
    if (names.some((name) => name.includes("\uFDD0"))) return "none";
    const literal = createLiteralText(names);
    const parts = literal.parts(literal.protect(text));
    holdSame(parts.join(""), text.replaceAll("\uFDD0", "\uFFFD"), "nothing is lost");
    for (const part of parts) hold(!names.some((name) => part.includes(name)), "no part holds a marker", part);
    return parts.length > 1 ? "cut" : "whole";
  },
};

/** @type {Target} */
const modelSource = {
  name: "model-source",
  files: /fullstop\/dist\/llama\/model-(?:source|names)\.js$/u,
  seeds: [
    "hf:user/model:Q4_K_M",
    "hf:user/model-GGUF/folder/model-00001-of-00003.gguf#branch",
    "https://huggingface.co/user/model/blob/main/a.gguf",
    "https://example.org/a%20b.gguf?x=1",
    "http://u:p@host/a.gguf",
    "./here.gguf",
  ],
  words: [
    "hf:",
    "https://",
    "huggingface.co/",
    "/blob/main/",
    "-00001-of-00002.gguf",
    ".gguf",
    "#",
    "%2e%2e%2f",
    "..",
    ".part1of2",
  ],
  run(input) {
    const found = attempt(
      () => parseModelSource(toText(input), { token: "", endpoint: "https://huggingface.co" }),
      [ModelLoadError],
    );
    if ("refusal" in found) return found.refusal.message.replaceAll(/"[^"]*"|https?:\S*/gsu, "").slice(0, 60);
    for (const name of found.value?.knownAs ?? []) {
      // eslint-disable-next-line no-control-regex -- these are what must not be there
      hold(!/[/\\\u0000-\u001F]/u.test(name) && name !== ".." && name !== ".", "a name stays in its folder", name);
    }
    return found.value === undefined ? "file" : "source";
  },
};

/** Texts of models, and names of models. */
export const TEXT_TARGETS = [thinking, stopStrings, guard, toolCalls, literalText, modelSource];
