// @ts-check
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createTextGuard, defineStopRules } from "fullstop";
import { EVERY_RULE } from "./catalogue.mjs";
import { readTokens } from "./tokens.mjs";

/**
 * What a guard holds, in bytes.
 *
 * @typedef {object} MemoryFigures
 * @property {number} tokens
 * @property {number} fresh Held after the first thousand tokens: the windows and everything else that a guard has.
 * @property {number} growth What a million further tokens have added to that.
 */

const FIRST_TOKENS = 1000;
const TOKENS = 1_000_000;
/** So many that the heap's own coming and going does not matter beside them. */
const FRESH_GUARDS = 200;

/**
 * Interpreted only and nothing thrown away: compiled code lives on the same heap, comes and goes by the 100 kB, and
 * would hide a few bytes a token. What a guard holds is the same either way.
 */
const FLAGS = ["--expose-gc", "--no-opt", "--no-sparkplug", "--no-flush-bytecode"];

/**
 * Runs the measurement in a process of its own, where nothing else allocates and the collector can be called.
 *
 * @param {string} tokensFile
 * @returns {Promise<MemoryFigures>}
 */
export function measureMemory(tokensFile) {
  const child = fork(fileURLToPath(import.meta.url), [tokensFile], { execArgv: FLAGS });
  return new Promise((resolve, reject) => {
    child.once("message", (/** @type {MemoryFigures} */ figures) => resolve(figures));
    child.once("exit", (code) => reject(new Error(`the process that measures memory ended with ${code}`)));
  });
}

/**
 * @param {import("./tokens.mjs").Tokens} tokens
 * @returns {MemoryFigures}
 */
function hold({ texts, ids }) {
  const rules = defineStopRules(EVERY_RULE);
  let next = 0;
  const feed = (/** @type {import("fullstop").TextGuard} */ guard, /** @type {number} */ count) => {
    for (let done = 0; done < count; done++) {
      const index = next++ % texts.length;
      guard.push(copyOf(texts[index] ?? ""), [...(ids[index] ?? [])]);
    }
    if (guard.signal !== undefined) throw new Error(`stopped early: ${guard.signal.message}`);
  };
  // A first guard leaves behind what belongs to the code and not to a guard.
  feed(createTextGuard(rules), TOKENS / 10);
  const before = usedBytes();
  const guards = Array.from({ length: FRESH_GUARDS }, () => createTextGuard(rules));
  for (const guard of guards) feed(guard, FIRST_TOKENS);
  const fresh = usedBytes();
  feed(guards[0] ?? createTextGuard(rules), TOKENS);
  const after = usedBytes();
  // Used once more, or the collector would have been free to take the guards before the last figure.
  for (const guard of guards) guard.end();
  return { tokens: TOKENS, fresh: (fresh - before) / FRESH_GUARDS, growth: after - fresh };
}

/**
 * A string that nobody else holds: kept in a guard by mistake, it would be seen.
 *
 * @param {string} text
 * @returns {string}
 */
function copyOf(text) {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

/** @returns {number} */
function usedBytes() {
  // Twice: what the first collection finalizes is freed by the second.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const [, script, tokensFile] = process.argv;
if (script === fileURLToPath(import.meta.url) && tokensFile !== undefined) {
  process.send?.(hold(readTokens(tokensFile)));
  process.disconnect?.();
}
