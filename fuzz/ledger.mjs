// @ts-check
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "ledger.json");

/**
 * How long a target has been fuzzed, all runs together.
 *
 * @typedef {object} Entry
 * @property {number} minutes Of a processor.
 * @property {number} inputs
 * @property {number} quietMinutes How many of the minutes have passed since an input last ran new code.
 */

/** @typedef {Readonly<Record<string, Entry>>} Ledger By target. */

/** @returns {Ledger} */
export function readLedger() {
  return existsSync(FILE) ? /** @type {Ledger} */ (JSON.parse(readFileSync(FILE, "utf8"))) : {};
}

/**
 * Minutes that a target has been fuzzed.
 *
 * @param {string} target
 */
export const minutesOf = (target) => readLedger()[target]?.minutes ?? 0;

/**
 * Adds a run.
 *
 * @param {string} target
 * @param {Entry} run
 */
export function enterRun(target, { minutes, inputs, quietMinutes }) {
  const ledger = readLedger();
  const before = ledger[target] ?? { minutes: 0, inputs: 0, quietMinutes: 0 };
  const isQuiet = quietMinutes >= minutes;
  const entry = {
    minutes: round(before.minutes + minutes),
    inputs: before.inputs + inputs,
    quietMinutes: round(isQuiet ? before.quietMinutes + minutes : quietMinutes),
  };
  const entries = Object.entries({ ...ledger, [target]: entry }).sort(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`);
}

/** @param {number} minutes */
const round = (minutes) => Math.round(minutes * 10) / 10;
