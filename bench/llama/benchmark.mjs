// @ts-check
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { LEGEND, formatSection, formatVerdicts } from "../report.mjs";
import { describeMachine, writeResults } from "../results.mjs";
import { countWrongAnswers } from "./answers.mjs";
import { countBatches } from "./batches.mjs";
import { SECTIONS } from "./catalogue.mjs";
import { measureMemory } from "./memory.mjs";
import { formatOthers, summarizeSpeed } from "./report.mjs";
import { measureResponsiveness } from "./responsiveness.mjs";
import { measureSpeed } from "./speed.mjs";
import { measureStops } from "./stops.mjs";
import { judge } from "./verdicts.mjs";

const RESULTS = fileURLToPath(new URL("../results/local-engine.json", import.meta.url));

/**
 * The benchmark of the local engine: beside the bare loop that it is built on, alone and with all its places in use,
 * and how soon it lets go when it is stopped.
 *
 * @param {import("../run.mjs").Surroundings} surroundings
 * @returns {Promise<string>} The file with all figures.
 */
export async function runLlamaBenchmark({ showProgress }) {
  const loadBefore = loadavg();
  console.log(formatHead(describeMachine(), loadBefore));

  const speed = await measureSpeed(showProgress);
  const measurements = new Map(Object.entries(speed).map(([id, { nanoseconds }]) => [id, { samples: nanoseconds }]));
  showProgress("answers");
  const answers = await countWrongAnswers();
  showProgress("batches");
  const batches = await countBatches();
  showProgress("stops");
  const stops = await measureStops();
  showProgress("memory");
  const memory = await measureMemory();
  showProgress("responsiveness");
  const responsiveness = await measureResponsiveness();
  showProgress("");

  const others = { answers, batches, stops, memory, responsiveness };
  const verdicts = judge(measurements, others);
  const costs = summarizeSpeed(speed);
  const loadAverages = { before: loadBefore, after: loadavg() };
  for (const section of SECTIONS) console.log(formatSection(section, measurements));
  console.log(formatOthers(others, costs));
  console.log(formatVerdicts(verdicts));
  console.log(`Load averages at the end: ${formatLoad(loadAverages.after)}`);
  writeResults(RESULTS, SECTIONS, measurements, { loadAverages, speed: costs, ...others, verdicts });
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
  return [
    `${processor}, ${cores} cores, Node ${node}, load averages ${formatLoad(load)}`,
    "Pip, one thread, a context of 4,096 tokens for each of 8 places, always the likeliest token.",
    LEGEND,
    "",
  ].join("\n");
}

/**
 * @param {readonly number[]} load
 * @returns {string}
 */
function formatLoad(load) {
  return load.map((average) => average.toFixed(1)).join(", ");
}
