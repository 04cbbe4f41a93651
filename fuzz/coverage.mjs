// @ts-check
import { readFileSync } from "node:fs";
import { Session } from "node:inspector";
import { fileURLToPath } from "node:url";

/** Only our own code counts: the branches of a library are its own fuzzers' to find. */
const OWN_CODE = /\/packages\/[^/]+\/dist\/.*\.js$/u;

/**
 * @typedef {object} ScriptMap
 * @property {string} url
 * @property {Uint8Array} covered One place a character: 1 where it has run.
 * @property {Uint8Array} inFunction 1 where the character belongs to a function.
 */

/**
 * Which of our code has run, as V8 counts it, to the block. Reading the counters takes about a millisecond, so it is
 * done for many inputs at once; only if there was something new among them is each looked at by itself.
 */
export class Coverage {
  /** @type {Session} */
  #session = new Session();
  /** @type {Map<string, ScriptMap>} */
  #scripts = new Map();

  /** Starts to count. What is imported before is not seen. */
  start() {
    this.#session.connect();
    this.#post("Profiler.enable");
    this.#post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /**
   * Takes what has run since the last time and returns how many characters of code of it are new. They count as known
   * from then on, unless it is only asked.
   *
   * @param {"keep" | "ask"} mode
   * @returns {number}
   */
  take(mode) {
    const { result } = this.#post("Profiler.takePreciseCoverage");
    let fresh = 0;
    for (const { url, functions } of result) {
      if (OWN_CODE.test(url)) fresh += this.#paint(this.#scriptOf(url), functions, mode);
    }
    return fresh;
  }

  /** Forgets what has run. */
  forget() {
    this.take("ask");
    for (const { covered } of this.#scripts.values()) covered.fill(0);
  }

  /**
   * How much of the code of some files has run, of the characters within functions that V8 knows of.
   *
   * @param {RegExp} files
   * @returns {{ readonly covered: number, readonly total: number }}
   */
  share(files) {
    let covered = 0;
    let total = 0;
    for (const { url, covered: map, inFunction } of this.#scripts.values()) {
      if (!files.test(url)) continue;
      for (let index = 0; index < map.length; index++) {
        total += inFunction[index] ?? 0;
        covered += (map[index] ?? 0) & (inFunction[index] ?? 0);
      }
    }
    return { covered, total };
  }

  /**
   * @param {ScriptMap} script
   * @param {readonly import("node:inspector").Profiler.FunctionCoverage[]} functions
   * @param {"keep" | "ask"} mode
   */
  #paint({ covered, inFunction }, functions, mode) {
    const ran = new Uint8Array(covered.length);
    for (const { ranges } of functions) {
      // A function that did not run is told of where the one around it did, and inner ranges come after outer ones.
      for (const { startOffset, endOffset, count } of ranges) ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
      const [whole] = ranges;
      const isModule = whole === undefined || (whole.startOffset === 0 && whole.endOffset === covered.length);
      if (!isModule) inFunction.fill(1, whole.startOffset, whole.endOffset);
    }
    let fresh = 0;
    for (let index = 0; index < ran.length; index++) {
      if (ran[index] !== 1 || covered[index] === 1) continue;
      fresh += 1;
      if (mode === "keep") covered[index] = 1;
    }
    return fresh;
  }

  /** @param {string} url */
  #scriptOf(url) {
    const known = this.#scripts.get(url);
    if (known !== undefined) return known;
    const size = readFileSync(fileURLToPath(url), "utf8").length;
    const script = { url, covered: new Uint8Array(size), inFunction: new Uint8Array(size) };
    this.#scripts.set(url, script);
    return script;
  }

  /**
   * The session of a thread's own inspector answers at once.
   *
   * @param {string} method
   * @param {object} [parameters]
   * @returns {import("node:inspector").Profiler.TakePreciseCoverageReturnType}
   */
  #post(method, parameters = {}) {
    /** @type {unknown} */
    let answer;
    this.#session.post(method, parameters, (/** @type {Error | null} */ error, /** @type {object} */ result = {}) => {
      if (error !== null) throw error;
      answer = result;
    });
    return /** @type {import("node:inspector").Profiler.TakePreciseCoverageReturnType} */ (answer);
  }
}
