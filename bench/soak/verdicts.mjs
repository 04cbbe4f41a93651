// @ts-check
import { judge } from "../verdicts.mjs";

/** @typedef {import("../verdicts.mjs").Verdict} Verdict */

/**
 * @typedef {object} Figures
 * @property {import("./soak.mjs").SoakFigures} soak
 * @property {import("./latency.mjs").LatencyFigures} latency
 * @property {import("./slow-readers.mjs").SlowReaderFigures} slowReaders
 * @property {import("./listing.mjs").ListingFigures} listing
 */

/** What the collector and the compiler may leave behind in a process that has served thousands. */
const MOST_HEAP_GROWTH = 3e6;
const SHARED_CORES = "the slowest of hundreds decides, and provider, gateway and clients share the cores";
const MOST_SLOW_READER_BYTES = 160e6;

/**
 * Holds the figures against what was promised.
 *
 * @param {Figures} figures
 * @returns {readonly Verdict[]}
 */
export function judgeSoak({ soak, latency, slowReaders, listing }) {
  const growth = soak.after.heapBytes - soak.before.heapBytes;
  const left = resourcesLeft(soak);
  return [
    judge("2,000 streams at once", `${soak.most} of ${soak.streams} in all`, soak.most >= 2000),
    judge("each ends once, and nothing is lost", `${soak.problemCount} problems`, soak.problemCount === 0),
    judge("no generation is left running", String(soak.liveAfterwards), soak.liveAfterwards === 0),
    judge("no socket and no timer is left", left === "" ? "none" : left, left === ""),
    judge("memory is back to its base", `${megabytes(growth)} MB of heap more`, growth <= MOST_HEAP_GROWTH),
    judge(
      "stop to closed socket at 200 streams: 10 ms (p99)",
      milliseconds(latency.stop),
      latency.stop.p99 <= 10,
      SHARED_CORES,
    ),
    judge("client leaves in mid-stream: 50 ms", milliseconds(latency.leave), latency.leave.max <= 50, SHARED_CORES),
    judge(
      "client leaves before the first byte: 50 ms",
      milliseconds(latency.leaveEarly),
      latency.leaveEarly.max <= 50,
      SHARED_CORES,
    ),
    ...Object.entries(slowReaders).map(([who, bytes]) =>
      judge(
        `200 MB for a client that reads nothing, ${who}`,
        `${megabytes(bytes)} MB`,
        bytes <= MOST_SLOW_READER_BYTES,
      ),
    ),
    judge(
      "the list of 10,000 generations: 50 ms (median)",
      milliseconds(listing.milliseconds),
      listing.milliseconds.p50 <= 50,
    ),
  ];
}

/**
 * What the gateway or its provider still holds that it did not hold before.
 *
 * @param {import("./soak.mjs").SoakFigures} soak
 * @returns {string}
 */
function resourcesLeft({ before, after, upstreamSockets }) {
  const more = Object.entries(after.resources).map(
    ([kind, count]) => /** @type {const} */ ([kind, count - (before.resources[kind] ?? 0)]),
  );
  return more
    .concat([["upstream", upstreamSockets]])
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ");
}

/** @param {import("../statistics.mjs").Spread} spread */
export function milliseconds({ p50, p99, max }) {
  return `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, most ${max.toFixed(1)} ms`;
}

/** @param {number} bytes */
export function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}
