// @ts-check
import { fileURLToPath } from "node:url";
import { measure } from "../interleave.mjs";
import { LEGEND } from "../report.mjs";
import { SECTIONS } from "./catalogue.mjs";
import { measureMemory } from "./memory.mjs";
import { judgeAgentLoop } from "./verdicts.mjs";

const WORKER = fileURLToPath(new URL("./worker.mjs", import.meta.url));

/**
 * The benchmark of the agent loop: what its pure functions cost, and whether a turn costs as much late in a long run
 * as early on.
 *
 * @param {import("../parts.mjs").Surroundings} surroundings
 * @returns {Promise<import("../parts.mjs").Findings>}
 */
export async function runAgentBenchmark(surroundings) {
  console.log(`${LEGEND}\n`);
  const contestants = SECTIONS.flatMap((section) => section.entries);
  const measurements = await measure(contestants, WORKER, surroundings);
  surroundings.showProgress("memory");
  const memory = await measureMemory();
  const verdicts = judgeAgentLoop(measurements, memory);
  return { sections: SECTIONS, measurements, verdicts, remarks: formatMemory(memory), others: { memory } };
}

/**
 * @param {readonly import("./memory.mjs").HeldByRun[]} memory
 * @returns {string}
 */
function formatMemory(memory) {
  const rows = memory.map(
    ({ turns, bytesPerTurn }) =>
      `  ${turns.toLocaleString("en").padStart(5)} turns: ${bytesPerTurn.toFixed(0)} bytes a turn`,
  );
  return ["What a run holds at its end (after collecting garbage)", ...rows, ""].join("\n");
}
