// @ts-check
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createTextGuard, defineStopRules } from "fullstop";
import { EVERY_RULE } from "./catalogue.mjs";

/**
 * What a guard holds, in bytes: right after it was made and used for a moment, and after a million tokens.
 *
 * @typedef {object} MemoryFigures
 * @property {number} tokens
 * @property {number} fresh Held after the first thousand tokens: the windows and everything else that a guard has.
 * @property {number} growth What a million further tokens have added to that.
 */

const FIRST_TOKENS = 1000;
const TOKENS = 1_000_000;

/**
 * Runs the measurement in a process of its own, where nothing else allocates and the collector can be called.
 *
 * @param {string} tokensFile
 * @returns {Promise<MemoryFigures>}
 */
export async function measureMemory(tokensFile) {
  const child = fork(fileURLToPath(import.meta.url), [tokensFile], { execArgv: ["--expose-gc"] });
  const [figures] = /** @type {[MemoryFigures]} */ (await once(child, "message"));
  return figures;
}

/**
 * @param {import("./corpus.mjs").Tokens} tokens
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
  // A first guard leaves behind compiled code and feedback, which are not the second one's.
  feed(createTextGuard(rules), TOKENS);
  const before = usedBytes();
  const guard = createTextGuard(rules);
  feed(guard, FIRST_TOKENS);
  const fresh = usedBytes();
  feed(guard, TOKENS);
  const after = usedBytes();
  // Used once more, or the collector would have been free to take the guard before the last figure.
  guard.end();
  return { tokens: TOKENS, fresh: fresh - before, growth: after - fresh };
}

/**
 * A string that nobody else holds: kept in a guard by mistake, it would be seen.
 *
 * @param {string} text
 * @returns {string}
 */
function copyOf(text) {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return String.fromCharCode(...units);
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
  process.send?.(hold(/** @type {import("./corpus.mjs").Tokens} */ (JSON.parse(readFileSync(tokensFile, "utf8")))));
  process.disconnect?.();
}
