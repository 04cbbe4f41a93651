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
  const done = rows.filter(({ minutes }) => minutes >= MINUTES_ASKED).length;
  /** @type {Map<string, number>} */
  const groups = new Map();
  for (const { group, minutes } of rows) groups.set(group, (groups.get(group) ?? 0) + minutes);
  const byGroup = [...groups].map(([group, minutes]) => `${group} ${numbers.format(minutes)}`).join(", ");
  return [
    `${done} of ${rows.length} have had ${MINUTES_ASKED} minutes of a processor or more. By groups, in minutes: ${byGroup}.`,
    "",
    table(
      ["parser", "group", "minutes", "inputs", "minutes since new code ran"],
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
