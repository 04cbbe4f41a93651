// @ts-check
import { isDeepStrictEqual } from "node:util";
import { createRandom, hashBytes } from "./random.mjs";

/**
 * A parser that is fuzzed: what it is fed and what has to hold, whatever that is.
 *
 * @typedef {object} Target
 * @property {string} name
 * @property {RegExp} files The code that it is about, for the figure of what has run.
 * @property {readonly (string | Uint8Array)[]} seeds Inputs to start from.
 * @property {readonly string[]} words Pieces that mean something to it.
 * @property {(input: Uint8Array) => string | void | Promise<string | void>} run Throws if something does not hold. What
 *   it returns says in a word what came of the input; an input with a new word is kept, like one that runs new code.
 */

/** Something that a parser promises and did not keep. */
export class Broken extends Error {
  /**
   * @param {string} promise
   * @param {unknown} [found]
   */
  constructor(promise, found) {
    super(found === undefined ? promise : `${promise}: ${show(found)}`);
    this.name = "Broken";
  }
}

/** @param {unknown} value */
function show(value) {
  const text = typeof value === "string" ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}

/**
 * @param {boolean} condition
 * @param {string} promise
 * @param {unknown} [found]
 * @returns {asserts condition}
 */
export function hold(condition, promise, found) {
  if (!condition) throw new Broken(promise, found);
}

/**
 * @param {unknown} actual
 * @param {unknown} expected
 * @param {string} promise
 */
export function holdSame(actual, expected, promise) {
  if (!isDeepStrictEqual(actual, expected)) throw new Broken(promise, { actual, expected });
}

/**
 * Does something that may be refused with one of some errors, and returns whether it was not. Every other error is
 * thrown on.
 *
 * @template T
 * @param {() => T} action
 * @param {readonly (abstract new (...parameters: never[]) => Error)[]} allowed
 * @returns {{ readonly value: T } | { readonly refusal: Error }}
 */
export function attempt(action, allowed) {
  try {
    return { value: action() };
  } catch (error) {
    const known = allowed.find((kind) => error instanceof kind);
    if (known === undefined || !(error instanceof Error)) throw error;
    hold(
      error.message !== "" && error.message.length < 4000,
      "a refusal is a sentence of bounded length",
      error.message,
    );
    return { refusal: error };
  }
}

/**
 * Ways to cut a text or bytes into pieces: not at all, into single units, and at places that depend on the input only.
 *
 * @template {string | Uint8Array} T
 * @param {T} whole
 * @param {(whole: T, start: number, end: number) => T} slice
 * @returns {readonly (readonly T[])[]}
 */
function waysToCut(whole, slice) {
  const seed = typeof whole === "string" ? hashBytes(Buffer.from(whole)) : hashBytes(whole);
  const random = createRandom(seed);
  const ways = [everyNth(whole, 1, slice), everyNth(whole, 2 + random.below(7), slice)];
  const pieces = [];
  for (let start = 0; start < whole.length;) {
    const end = Math.min(whole.length, start + 1 + random.below(random.pick([2, 8, 64, 1024])));
    pieces.push(slice(whole, start, end));
    start = end;
  }
  return [...ways, pieces];
}

/**
 * @template {string | Uint8Array} T
 * @param {T} whole
 * @param {number} size
 * @param {(whole: T, start: number, end: number) => T} slice
 */
function everyNth(whole, size, slice) {
  const pieces = [];
  for (let start = 0; start < whole.length; start += size) pieces.push(slice(whole, start, start + size));
  return pieces;
}

/** @param {string} text */
export const cutsOfText = (text) => waysToCut(text, (whole, start, end) => whole.slice(start, end));

/** @param {Uint8Array} bytes */
export const cutsOfBytes = (bytes) => waysToCut(bytes, (whole, start, end) => whole.subarray(start, end));

/**
 * Sends values through a stage, to the end, and returns what came out.
 *
 * @template In, Out
 * @param {import("fullstop").Stage<In, Out>} stage
 * @param {readonly In[]} values
 * @returns {Out[]}
 */
export function collect(stage, values) {
  /** @type {Out[]} */
  const out = [];
  const sink = stage({ push: (value) => void out.push(value), end: () => undefined });
  for (const value of values) sink.push(value);
  sink.end();
  return out;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * An input as text.
 *
 * @param {Uint8Array} input
 */
export const toText = (input) => decoder.decode(input);

/**
 * The parts of an input that sets several things, between lines of `%%`.
 *
 * @param {Uint8Array} input
 * @returns {readonly string[]}
 */
export const sections = (input) => toText(input).split("\n%%\n");

/**
 * JSON that an input holds; undefined if it holds none.
 *
 * @param {string} text
 * @returns {unknown}
 */
export function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const PROTOTYPES = [Object.prototype, Array.prototype, String.prototype, Function.prototype];
const UNTOUCHED = PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype).length);

/**
 * Runs a target on an input, with what has to hold for all of them.
 *
 * @param {Target} target
 * @param {Uint8Array} input
 * @returns {Promise<string>}
 */
export async function check(target, input) {
  const outcome = target.run(input.slice());
  const word = outcome instanceof Promise ? await outcome : outcome;
  for (const [index, prototype] of PROTOTYPES.entries()) {
    const count = Reflect.ownKeys(prototype).length;
    hold(count === UNTOUCHED[index], "no input changes the prototypes of all objects", input);
  }
  return word ?? "";
}
