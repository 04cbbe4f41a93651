// @ts-check
import { mutateJson } from "./mutate-json.mjs";

/** No input grows beyond this: what goes wrong in long ones goes wrong in short ones, and those can be read. */
export const LARGEST_INPUT = 8192;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Pieces that mean something to more than one parser. */
const COMMON_WORDS = [
  "\n",
  "\r",
  "\r\n",
  "\n\n",
  "\u0000",
  "\uFEFF",
  "\u2028",
  "😀",
  "é",
  "e\u0301",
  "👨‍👩‍👧",
  "\\",
  '"',
  "{}",
  "[]",
  "null",
  "true",
  "-0",
  "1e999",
  "9007199254740993",
  "\\ud800",
  "\\u0000",
  "__proto__",
  "constructor",
  "toString",
  "<",
  ">",
  " ",
  "\t",
];

/**
 * What a mutation can draw on.
 *
 * @typedef {object} Surroundings
 * @property {import("./random.mjs").Random} random
 * @property {readonly Uint8Array[]} others Further inputs, to take pieces from.
 * @property {readonly string[]} words Pieces that mean something to the parser.
 */

/**
 * Another input like the given one: changed in one to four ways.
 *
 * @param {Uint8Array} input
 * @param {Surroundings} surroundings
 * @returns {Uint8Array}
 */
export function mutate(input, surroundings) {
  let result = input;
  for (let count = 1 + surroundings.random.below(4); count > 0; count--) {
    result = surroundings.random.pick(MUTATIONS)(result, surroundings);
  }
  return result.subarray(0, LARGEST_INPUT);
}

/** @type {readonly ((input: Uint8Array, surroundings: Surroundings) => Uint8Array)[]} */
const MUTATIONS = [
  (input, { random }) => {
    const changed = input.slice();
    for (let count = 1 + random.below(4); count > 0 && changed.length > 0; count--) {
      const at = random.below(changed.length);
      changed[at] = random.below(2) === 0 ? random.below(256) : (changed[at] ?? 0) ^ (1 << random.below(8));
    }
    return changed;
  },
  (input, { random }) => input.subarray(0, random.below(input.length + 1)),
  (input, { random }) => {
    const [start, end] = range(random, input.length);
    return join(input.subarray(0, start), input.subarray(end));
  },
  (input, { random }) => {
    const [start, end] = range(random, input.length);
    const piece = input.subarray(start, end);
    const times = random.below(8) === 0 ? 20 : 1;
    return join(input.subarray(0, end), ...Array.from({ length: times }, () => piece), input.subarray(end));
  },
  (input, { random, others }) => {
    const other = others.length === 0 ? input : random.pick(others);
    const [start, end] = range(random, other.length);
    const at = random.below(input.length + 1);
    return join(input.subarray(0, at), other.subarray(start, end), input.subarray(at));
  },
  insertWord,
  insertWord,
  (input, { random }) => mutateLines(input, random),
  mutateValue,
  mutateValue,
];

/** @type {(input: Uint8Array, surroundings: Surroundings) => Uint8Array} */
function insertWord(input, { random, words }) {
  const word = encoder.encode(random.pick(words.length > 0 && random.below(3) > 0 ? words : COMMON_WORDS));
  const at = random.below(input.length + 1);
  const skipped = random.below(2) === 0 ? 0 : word.length;
  return join(input.subarray(0, at), word, input.subarray(at + skipped));
}

/**
 * Changes a value within a piece of JSON, wherever in the input one stands on a line of its own.
 *
 * @type {(input: Uint8Array, surroundings: Surroundings) => Uint8Array}
 */
function mutateValue(input, { random, words }) {
  const lines = decoder.decode(input).split("\n");
  const places = lines.flatMap((line, index) => (/[{[]/u.test(line) ? [index] : []));
  if (places.length === 0) return insertWord(input, { random, words, others: [] });
  const place = random.pick(places);
  const line = lines[place] ?? "";
  const start = line.search(/[{[]/u);
  try {
    const value = mutateJson(JSON.parse(line.slice(start)), random, words);
    lines[place] = line.slice(0, start) + (JSON.stringify(value) ?? "null");
  } catch {
    // Not JSON, or not any more: a line taken out is a change as well.
    lines.splice(place, 1);
  }
  return encoder.encode(lines.join("\n"));
}

/**
 * @param {Uint8Array} input
 * @param {import("./random.mjs").Random} random
 */
function mutateLines(input, random) {
  const lines = decoder.decode(input).split("\n");
  const [from, to] = [random.below(lines.length), random.below(lines.length)];
  const line = lines[from] ?? "";
  const kind = random.below(4);
  if (kind === 0) lines.splice(from, 1);
  else if (kind === 1) lines.splice(to, 0, line);
  else if (kind === 2) lines.splice(to, 0, ...lines.splice(from, 1));
  else return encoder.encode(lines.join(random.pick(["\r\n", "\r", "\n\n", ""])));
  return encoder.encode(lines.join("\n"));
}

/**
 * @param {import("./random.mjs").Random} random
 * @param {number} length
 * @returns {readonly [start: number, end: number]}
 */
function range(random, length) {
  const start = random.below(length + 1);
  return [start, Math.min(length, start + 1 + random.below(random.below(4) === 0 ? length + 1 : 16))];
}

/** @param {readonly Uint8Array[]} pieces */
function join(...pieces) {
  return new Uint8Array(Buffer.concat(pieces));
}
