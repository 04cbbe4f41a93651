// @ts-check
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { LEGEND, formatSection, formatVerdicts } from "../report.mjs";
import { describeMachine, writeResults } from "../results.mjs";
import { KINDS, measureCost } from "./cost.mjs";
import { LISTED_KINDS, measureListing } from "./listing.mjs";
import { findAfterCrashes, measureStops, withRedis } from "./scenes.mjs";
import { judge } from "./verdicts.mjs";

const RESULTS = fileURLToPath(new URL("../results/replicas.json", import.meta.url));

/** @type {readonly import("../report.mjs").Section[]} */
const SECTIONS = [
  {
    title: "What recording costs a gateway, in CPU time",
    note: "100 streams at once, each with a chunk every 20 ms, from a provider over HTTP to a client over HTTP",
    entries: KINDS.map((kind) =>
      kind === "none"
        ? { id: "cost/none", label: "a store that records nothing", per: "chunk" }
        : { id: `cost/${kind}`, label: kind, per: "chunk", beside: "cost/none" },
    ),
  },
  {
    title: "Listing what runs",
    note: "10,000 generations of 100 owners",
    entries: LISTED_KINDS.flatMap((kind) => [
      { id: `list/${kind}`, label: `${kind}, all`, per: "list" },
      { id: `list-own/${kind}`, label: `${kind}, those of one owner`, per: "list" },
    ]),
  },
];

/**
 * What was seen of processes.
 *
 * @typedef {object} Scenes
 * @property {{count: number, failed: number, p50: number, p99: number, longest: number}} stops Milliseconds.
 * @property {readonly import("../../packages/gateway/test/support/crash.ts").CrashFindings[]} crashes
 */

/**
 * The benchmark of stores and replicas: what recording costs, how fast a stop from another replica is, and what is left
 * after crashes.
 *
 * @param {import("../run.mjs").Surroundings} surroundings
 * @returns {Promise<string>} The file with all figures.
 */
export async function runReplicasBenchmark({ directory, showProgress }) {
  const loadBefore = loadavg();
  const { processor, cores, node } = describeMachine();
  const averages = loadBefore.map((average) => average.toFixed(1)).join(", ");
  console.log([`${processor}, ${cores} cores, Node ${node}, load averages ${averages}`, LEGEND, ""].join("\n"));
  const measurements = await withRedis(async (redisUrl) => {
    const place = { directory, redisUrl };
    const cost = await measureCost(place, showProgress);
    return new Map([...cost, ...(await measureListing(place, showProgress))]);
  });
  const { times, failed } = await measureStops(showProgress);
  const stops = { ...summarizeStops(times), failed };
  const crashes = await findAfterCrashes(showProgress);
  showProgress("");

  const scenes = { stops, crashes };
  const verdicts = judge(measurements, scenes);
  for (const section of SECTIONS) console.log(formatSection(section, measurements));
  console.log(formatScenes(scenes));
  console.log(formatVerdicts(verdicts));
  const loadAverages = { before: loadBefore, after: loadavg() };
  writeResults(RESULTS, SECTIONS, measurements, { loadAverages, ...scenes, verdicts });
  return RESULTS;
}

/**
 * @param {readonly number[]} times
 * @returns {Omit<Scenes["stops"], "failed">}
 */
function summarizeStops(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ part) => sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), longest: at(1) };
}

/**
 * @param {Scenes} scenes
 * @returns {string}
 */
function formatScenes({ stops, crashes }) {
  const { count, failed, p50, p99, longest } = stops;
  const received = crashes.reduce((sum, found) => sum + found.received, 0);
  const lost = crashes.reduce((sum, found) => sum + found.lost, 0);
  return [
    `${count} stops from another replica: half within ${p50.toFixed(1)} ms, 99 in 100 within ${p99.toFixed(1)} ms, all within ${longest.toFixed(1)} ms; ${failed} failed`,
    `${crashes.length} crashes with a file: clients had received ${received.toLocaleString("en")} pieces, of which ${lost} are lost`,
    "",
  ].join("\n");
}
