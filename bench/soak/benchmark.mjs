// @ts-check
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { runApart } from "../llama/apart.mjs";
import { formatVerdicts } from "../report.mjs";
import { describeMachine, writeResults } from "../results.mjs";
import { measureLatency } from "./latency.mjs";
import { measureSlowReaders } from "./slow-readers.mjs";
import { runSoak } from "./soak.mjs";
import { judge, megabytes, milliseconds } from "./verdicts.mjs";

const RESULTS = fileURLToPath(new URL("../results/soak.json", import.meta.url));

/**
 * The soak of the gateway: thousands of streams with stops, leaves and faults, how soon it hangs up on a provider, and
 * what slow readers and long lists cost. A seed can be given in SEED.
 *
 * @param {import("../run.mjs").Surroundings} surroundings
 * @returns {Promise<string>} The file with all figures.
 */
export async function runSoakBenchmark({ directory, showProgress }) {
  const seed = Number(process.env["SEED"] ?? Date.now() % 1e6);
  const loadBefore = loadavg();
  const { processor, cores, node } = describeMachine();
  console.log(`${processor}, ${cores} cores, Node ${node}, load averages ${formatLoad(loadBefore)}, seed ${seed}\n`);
  const latency = await measureLatency(directory, seed, showProgress);
  const slowReaders = await measureSlowReaders(directory, seed, showProgress);
  showProgress("list");
  /** @type {import("./listing.mjs").ListingFigures} */
  const listing = await runApart(fileURLToPath(new URL("listing.mjs", import.meta.url)));
  const soak = await runSoak(directory, seed, showProgress);
  showProgress("");

  const figures = { soak, latency, slowReaders, listing };
  const verdicts = judge(figures);
  console.log(formatSoak(soak));
  console.log(`Stop, within the gateway: ${milliseconds(latency.stopInside)}\n`);
  console.log(formatVerdicts(verdicts));
  const loadAverages = { before: loadBefore, after: loadavg() };
  console.log(`Load averages at the end: ${formatLoad(loadAverages.after)}`);
  writeResults(RESULTS, [], new Map(), { seed, loadAverages, ...figures, verdicts });
  return RESULTS;
}

/**
 * @param {import("./soak.mjs").SoakFigures} soak
 * @returns {string}
 */
function formatSoak({ streams, endings, problems, hangUp, before, after, peakResidentBytes }) {
  const counts = Object.entries(endings).toSorted(([, one], [, other]) => other - one);
  return [
    `${streams} streams ended`,
    ...counts.map(([ending, count]) => `  ${String(count).padStart(6)} ${ending}`),
    ...problems.map(({ number, problem, plan }) => `  stream ${number} (${plan}): ${problem}`),
    `From a stop or a leave to the provider's end of it: ${milliseconds(hangUp)}`,
    `Heap before ${megabytes(before.heapBytes)}, after ${megabytes(after.heapBytes)} MB; at most ${megabytes(peakResidentBytes)} MB resident`,
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
