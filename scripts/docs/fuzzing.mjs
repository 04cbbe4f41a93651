// @ts-check
import { readLedger } from "../../fuzz/ledger.mjs";
import { loadTargets } from "../../fuzz/targets/index.mjs";
import { code, table } from "./table.mjs";

/** Shorter than this is no more than a look. */
const MINUTES_ASKED = 30;

const numbers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/**
 * How long each parser has been fuzzed, as the ledger says.
 *
 * @returns {Promise<string>}
 */
export async function fuzzingTable() {
  const ledger = readLedger();
  const rows = (await loadTargets()).map(({ group, target: { name } }) => {
    const { minutes = 0, inputs = 0, quietMinutes = 0 } = ledger[name] ?? {};
    return { group, name, minutes, inputs, quietMinutes };
  });
  const groups = sumByGroup(rows);
  const isEnough = (/** @type {Row} */ { minutes }) => minutes >= MINUTES_ASKED;
  const least = Math.min(...rows.map(({ minutes }) => minutes));
  return [
    `${groups.filter(isEnough).length} of ${groups.length} fuzzers have had ${MINUTES_ASKED} minutes of a processor or ` +
      `more. Of their ${rows.length} parsers ${rows.filter(isEnough).length} have had so much by themselves, and none less ` +
      `than ${least.toFixed(1)}.`,
    "",
    table(
      ["fuzzer", "parsers", "minutes", "inputs"],
      groups.map(({ group, parsers, minutes, inputs }) => [
        code(group),
        String(parsers),
        minutes.toFixed(1),
        numbers.format(inputs),
      ]),
    ),
    "",
    table(
      ["parser", "fuzzer", "minutes", "inputs", "minutes since new code ran"],
      rows.map(({ group, name, minutes, inputs, quietMinutes }) => [
        code(name),
        group,
        minutes.toFixed(1),
        numbers.format(inputs),
        quietMinutes.toFixed(1),
      ]),
    ),
  ].join("\n");
}

/**
 * @typedef {object} Row
 * @property {string} group
 * @property {number} minutes
 * @property {number} inputs
 */

/**
 * What all parsers of a fuzzer have had together.
 *
 * @param {readonly Row[]} rows
 */
function sumByGroup(rows) {
  /** @type {Map<string, Row & { parsers: number }>} */
  const sums = new Map();
  for (const { group, minutes, inputs } of rows) {
    const { parsers, minutes: before, inputs: earlier } = sums.get(group) ?? { parsers: 0, minutes: 0, inputs: 0 };
    sums.set(group, { group, parsers: parsers + 1, minutes: before + minutes, inputs: earlier + inputs });
  }
  return [...sums.values()];
}
