// @ts-check
import { setImmediate as turn } from "node:timers/promises";
import { dropInput, keepInput, readCorpus, seedsOf } from "./corpus.mjs";
import { LARGEST_INPUT, mutate } from "./mutate.mjs";
import { Broken, check } from "./oracle.mjs";
import { processorSeconds } from "./processor-time.mjs";

/** How many inputs are run before coverage is asked whether one of them was of use. */
const BATCH = 32;
/** How often an input is tried with a part of it taken out. */
const MOST_TRIES = 150;
/** An input of a few kilobytes that takes longer than this, three times in a row, does not end in bounded time. */
const SLOW_SECONDS = 2;
/** Words beyond these are noise. */
const MOST_WORDS = 24;
/** The most inputs that are kept for a target, and the most findings. */
const MOST_KEPT = 20;
const MOST_FINDINGS = 8;

/**
 * What came of fuzzing one target.
 *
 * @typedef {object} SessionReport
 * @property {string} target
 * @property {number} runs
 * @property {number} seconds Of a processor.
 * @property {number} quietSeconds How many of them have passed since an input last ran new code.
 * @property {number} kept
 * @property {readonly { readonly problem: string, readonly file: string }[]} findings
 * @property {{ readonly covered: number, readonly total: number }} fromSeeds
 * @property {{ readonly covered: number, readonly total: number }} atTheEnd
 */

/**
 * Fuzzes one target: changes inputs that have shown something new, keeps those that do so again, and keeps, as small as
 * it can make them, those for which a promise is broken.
 */
export class Session {
  #target;
  #coverage;
  #random;
  /** @type {(input: Uint8Array) => void} */
  #announce;
  /** @type {Uint8Array[]} */
  #queue = [];
  /** @type {Set<string>} */
  #words = new Set();
  /** @type {Map<string, string>} */
  #findings = new Map();
  #runs = 0;
  /** When an input last ran new code. */
  #lastNews = 0;

  /**
   * @param {import("./oracle.mjs").Target} target
   * @param {import("./coverage.mjs").Coverage} coverage
   * @param {import("./random.mjs").Random} random
   * @param {(input: Uint8Array) => void} announce Told of every input before it is run.
   */
  constructor(target, coverage, random, announce) {
    this.#target = target;
    this.#coverage = coverage;
    this.#random = random;
    this.#announce = announce;
  }

  /**
   * @param {number} seconds Of a processor.
   * @param {() => boolean} isCalledOff
   * @returns {Promise<SessionReport>}
   */
  async run(seconds, isCalledOff) {
    const { name, files } = this.#target;
    const start = processorSeconds();
    this.#lastNews = start;
    for (const seed of seedsOf(this.#target)) await this.#learn(seed);
    const fromSeeds = this.#coverage.share(files);
    for (const { bytes } of readCorpus(name)) await this.#learn(bytes);
    while (processorSeconds() - start < seconds && !isCalledOff()) {
      const batch = Array.from({ length: BATCH }, () => this.#next());
      let isNew = false;
      for (const input of batch) isNew = this.#isNewWord(await this.#try(input)) || isNew;
      isNew = this.#coverage.take("ask") > 0 || isNew;
      if (isNew) for (const input of batch) await this.#keepIfNew(input);
      if (this.#findings.size >= MOST_FINDINGS) break;
      // Native libraries let go of their memory only when the event loop turns: SQLite came to 23 GB in 13 minutes.
      await turn();
    }
    const end = processorSeconds();
    const atTheEnd = this.#coverage.share(files);
    const kept = await this.#tidy();
    const findings = [...this.#findings].map(([problem, file]) => ({ problem, file }));
    return {
      target: name,
      runs: this.#runs,
      seconds: end - start,
      quietSeconds: end - this.#lastNews,
      kept,
      findings,
      fromSeeds,
      atTheEnd,
    };
  }

  /** @returns {Uint8Array} */
  #next() {
    // Those that came last have been changed least.
    const { length } = this.#queue;
    const newest = this.#random.below(3) === 0 ? Math.min(length, 8) : length;
    const input = this.#queue[length - 1 - this.#random.below(Math.max(1, newest))] ?? new Uint8Array(0);
    return mutate(input, { random: this.#random, others: this.#queue, words: this.#target.words });
  }

  /** @param {Uint8Array} input */
  async #learn(input) {
    const word = await this.#try(input);
    if (word !== undefined) this.#words.add(word);
    this.#coverage.take("keep");
    this.#queue.push(input);
  }

  /** @param {string | undefined} word */
  #isNewWord(word) {
    return word !== undefined && this.#words.size < MOST_WORDS && !this.#words.has(word);
  }

  /**
   * Runs an input and returns the word for what came of it, or nothing if a promise was broken.
   *
   * @param {Uint8Array} input
   * @returns {Promise<string | undefined>}
   */
  async #try(input) {
    const outcome = await this.#attempt(input);
    if (!("problem" in outcome)) return outcome.word;
    if (!this.#findings.has(outcome.problem) && this.#findings.size < MOST_FINDINGS) {
      const small = await this.#reduce(input, async (smaller) => {
        const other = await this.#attempt(smaller);
        return "problem" in other && other.problem === outcome.problem;
      });
      this.#findings.set(outcome.problem, keepInput(this.#target.name, small, "finding"));
    }
    return undefined;
  }

  /**
   * @param {Uint8Array} input
   * @returns {Promise<{ readonly word: string } | { readonly problem: string }>}
   */
  async #attempt(input) {
    for (let round = 1; ; round++) {
      this.#runs += 1;
      this.#announce(input);
      // The clock costs nothing to look at, but a busy machine is slow by it: what is, runs again by processor time.
      const now = round === 1 ? clockSeconds : processorSeconds;
      const began = now();
      try {
        const word = await check(this.#target, input);
        if (now() - began < SLOW_SECONDS) return { word };
        if (round === 3) return { problem: "it does not end in bounded time" };
      } catch (error) {
        return { problem: describe(error) };
      }
    }
  }

  /** @param {Uint8Array} input */
  async #keepIfNew(input) {
    this.#coverage.take("ask");
    const word = await this.#try(input);
    if (word === undefined) return;
    const isNewWord = this.#isNewWord(word);
    const fresh = this.#coverage.take("ask");
    if (fresh === 0 && !isNewWord) return;
    const small = await this.#reduce(input, async (smaller) => {
      this.#coverage.take("ask");
      const other = await this.#attempt(smaller);
      return "word" in other && (!isNewWord || other.word === word) && this.#coverage.take("ask") >= fresh;
    });
    keepInput(this.#target.name, small, "coverage");
    this.#lastNews = processorSeconds();
    this.#coverage.take("ask");
    await this.#learn(small);
  }

  /**
   * Takes parts out of an input, large ones first, as long as something still holds of it.
   *
   * @param {Uint8Array} input
   * @param {(smaller: Uint8Array) => Promise<boolean>} holds
   */
  async #reduce(input, holds) {
    let small = input.slice(0, LARGEST_INPUT);
    let tries = 0;
    for (let size = Math.ceil(small.length / 2); size >= 1 && tries < MOST_TRIES; size = Math.floor(size / 2)) {
      for (let start = 0; start < small.length && tries < MOST_TRIES;) {
        const smaller = new Uint8Array(Buffer.concat([small.subarray(0, start), small.subarray(start + size)]));
        tries += 1;
        if (await holds(smaller)) small = smaller;
        else start += size;
      }
    }
    return small;
  }

  /**
   * Keeps of the corpus what it takes to run the same code and to come to the same words, small inputs first.
   *
   * @returns {Promise<number>} How many inputs are left.
   */
  async #tidy() {
    this.#coverage.forget();
    this.#words.clear();
    for (const seed of seedsOf(this.#target)) await this.#learn(seed);
    let kept = 0;
    for (const input of readCorpus(this.#target.name)) {
      const word = await this.#try(input.bytes);
      const isNewWord = this.#isNewWord(word);
      const isUseful = this.#coverage.take("ask") > 0 || isNewWord;
      if (input.isFinding) kept += 1;
      else if (isUseful && kept < MOST_KEPT) {
        kept += 1;
        await this.#learn(input.bytes);
      } else dropInput(input);
    }
    return kept;
  }
}

const clockSeconds = () => performance.now() / 1000;

/**
 * What went wrong, without what differs from one input to the next.
 *
 * @param {unknown} error
 */
function describe(error) {
  if (!(error instanceof Error)) return `it threw ${String(error)}`;
  const sentence = error.message.split(/[:\n]/u)[0] ?? "";
  if (error instanceof Broken) return sentence;
  const place = /dist\/(?<file>[\w/-]+\.js):\d+/u.exec(error.stack ?? "")?.groups?.["file"] ?? "";
  return `${error.name} in ${place}: ${sentence.replaceAll(/["'`\d].*/gsu, "")}`;
}
