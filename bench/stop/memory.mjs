// @ts-check
import { fileURLToPath } from "node:url";
import { createTextGuard, defineStopRules } from "fullstop";
import { INTERPRETED, readOrder, runApart, sendFigures, usedBytes } from "../apart.mjs";
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

const PROGRAM = fileURLToPath(import.meta.url);

/** @typedef {{tokensFile: string}} Order */

/**
 * @param {string} tokensFile
 * @returns {Promise<MemoryFigures>}
 */
export function measureMemory(tokensFile) {
  return runApart(PROGRAM, { order: { tokensFile }, flags: INTERPRETED });
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

/** @type {Order | undefined} */
const order = readOrder(PROGRAM);
if (order !== undefined) sendFigures(hold(readTokens(order.tokensFile)));
