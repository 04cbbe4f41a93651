// @ts-check
import { LEGEND } from "../report.mjs";
import { spreadOf } from "../statistics.mjs";
import { KINDS, measureCost } from "./cost.mjs";
import { LISTED_KINDS, measureListing } from "./listing.mjs";
import { findAfterCrashes, measureStops, withRedis } from "./scenes.mjs";
import { judgeReplicas } from "./verdicts.mjs";

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
 * @property {import("../statistics.mjs").Spread & {failed: number}} stops Milliseconds.
 * @property {readonly import("../../packages/gateway/test/support/crash.ts").CrashFindings[]} crashes
 */

/**
 * The benchmark of stores and replicas: what recording costs, how fast a stop from another replica is, and what is left
 * after crashes.
 *
 * @param {import("../parts.mjs").Surroundings} surroundings
 * @returns {Promise<import("../parts.mjs").Findings>}
 */
export async function runReplicasBenchmark(surroundings) {
  const { directory, showProgress } = surroundings;
  console.log(`${LEGEND}\n`);
  const measurements = await withRedis(async (redisUrl) => {
    const place = { directory, redisUrl };
    const cost = await measureCost(place, surroundings);
    return new Map([...cost, ...(await measureListing(place, showProgress))]);
  });
  const { times, failed } = await measureStops(surroundings);
  const scenes = { stops: { ...spreadOf(times), failed }, crashes: await findAfterCrashes(surroundings) };
  return {
    sections: SECTIONS,
    measurements,
    verdicts: judgeReplicas(measurements, scenes),
    remarks: formatScenes(scenes),
    others: scenes,
  };
}

/**
 * @param {Scenes} scenes
 * @returns {string}
 */
function formatScenes({ stops, crashes }) {
  const { samples, failed, p50, p99, max } = stops;
  const received = crashes.reduce((sum, found) => sum + found.received, 0);
  const lost = crashes.reduce((sum, found) => sum + found.lost, 0);
  return [
    `${samples} stops from another replica: half within ${p50.toFixed(1)} ms, 99 in 100 within ${p99.toFixed(1)} ms, all within ${max.toFixed(1)} ms; ${failed} failed`,
    `${crashes.length} crashes with a file: clients had received ${received.toLocaleString("en")} pieces, of which ${lost} are lost`,
    "",
  ].join("\n");
}
