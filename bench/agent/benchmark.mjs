// @ts-check
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { measure } from "../interleave.mjs";
import { LEGEND, formatSection, formatVerdicts } from "../report.mjs";
import { describeMachine, writeResults } from "../results.mjs";
import { SECTIONS } from "./catalogue.mjs";
import { measureMemory } from "./memory.mjs";
import { judge } from "./verdicts.mjs";

const RESULTS = fileURLToPath(new URL("../results/agent-loop.json", import.meta.url));
const WORKER = fileURLToPath(new URL("./worker.mjs", import.meta.url));

/**
 * The benchmark of the agent loop: what its pure functions cost, and whether a turn costs as much late in a long run
 * as early on.
 *
 * @param {import("../run.mjs").Surroundings} surroundings
 * @returns {Promise<string>} The file with all figures.
 */
export async function runAgentBenchmark({ showProgress }) {
  const loadBefore = loadavg();
  console.log(formatHead(describeMachine(), loadBefore));
  const contestants = SECTIONS.flatMap((section) => section.entries);
  const measurements = await measure(contestants, WORKER, showProgress);
  showProgress("memory");
  const memory = await measureMemory();
  showProgress("");

  const verdicts = judge(measurements, memory);
  for (const section of SECTIONS) console.log(formatSection(section, measurements));
  console.log(formatMemory(memory));
  console.log(formatVerdicts(verdicts));
  const loadAverages = { before: loadBefore, after: loadavg() };
  writeResults(RESULTS, SECTIONS, measurements, { loadAverages, memory, verdicts });
  return RESULTS;
}

/**
 * What was measured on what.
 *
 * @param {ReturnType<typeof describeMachine>} machine
 * @param {readonly number[]} load
 * @returns {string}
 */
function formatHead({ processor, cores, node }, load) {
  const averages = load.map((average) => average.toFixed(1)).join(", ");
  return [`${processor}, ${cores} cores, Node ${node}, load averages ${averages}`, LEGEND, ""].join("\n");
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
