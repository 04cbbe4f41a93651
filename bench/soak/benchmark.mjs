// @ts-check
import { fileURLToPath } from "node:url";
import { runApart } from "../apart.mjs";
import { measureLatency } from "./latency.mjs";
import { measureSlowReaders } from "./slow-readers.mjs";
import { runSoak } from "./soak.mjs";
import { judgeSoak, megabytes, milliseconds } from "./verdicts.mjs";

/** In the short run answers come in less time, so that there is less to wait for at the end. */
const PACES = { long: 1, short: 0.3 };

/**
 * The soak of the gateway: thousands of streams with stops, leaves and faults, how soon it hangs up on a provider, and
 * what slow readers and long lists cost. A seed can be given in SEED.
 *
 * @param {import("../parts.mjs").Surroundings} surroundings
 * @returns {Promise<import("../parts.mjs").Findings>}
 */
export async function runSoakBenchmark({ directory, sampling, showProgress }) {
  const seed = Number(process.env["SEED"] ?? Date.now() % 1e6);
  console.log(`Seed ${seed}\n`);
  const script = { seed, pace: PACES[sampling] };
  const latency = await measureLatency(directory, script, { sampling, showProgress });
  const slowReaders = await measureSlowReaders(directory, script, showProgress);
  showProgress("list");
  /** @type {import("./listing.mjs").ListingFigures} */
  const listing = await runApart(fileURLToPath(new URL("listing.mjs", import.meta.url)));
  const soak = await runSoak(directory, script, { sampling, showProgress });

  const figures = { soak, latency, slowReaders, listing };
  return {
    sections: [],
    measurements: new Map(),
    verdicts: judgeSoak(figures),
    remarks: `${formatSoak(soak)}\nStop, within the gateway: ${milliseconds(latency.stopInside)}\n`,
    others: { seed, ...figures },
  };
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
  ].join("\n");
}
