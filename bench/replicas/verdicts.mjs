// @ts-check
import { judge, judgeRatio, judgeTime, ratioOf } from "../verdicts.mjs";
import { LISTED_KINDS } from "./listing.mjs";

/** What a stop from another replica may take, 99 times in 100, in milliseconds. */
const STOP = 25;

/** What it may take to list 10,000 generations that run, in nanoseconds. */
const LIST = 50e6;

/**
 * What is promised of stores and replicas, held against what was found.
 *
 * @param {import("../interleave.mjs").Measurements} measurements
 * @param {import("./benchmark.mjs").Scenes} scenes
 * @returns {readonly import("../verdicts.mjs").Verdict[]}
 */
export function judgeReplicas(measurements, { stops, crashes }) {
  const none = measurements.get("cost/none");
  const lost = crashes.reduce((sum, found) => sum + found.lost + found.wronglyEnded, 0);
  const damaged = crashes.filter(({ integrity }) => integrity !== '[{"integrity_check":"ok"}]').length;
  return [
    judgeRatio("the store in memory: at most 1.15 x the CPU a chunk", ratioOf(measurements.get("cost/memory"), none), {
      atMost: 1.15,
    }),
    judgeRatio("the store in Redis: at most 1.4 x the CPU a chunk", ratioOf(measurements.get("cost/redis"), none), {
      atMost: 1.4,
    }),
    ...LISTED_KINDS.map((kind) =>
      judgeTime(`${kind}: 10,000 that run listed in at most 50 ms`, measurements.get(`list/${kind}`), LIST),
    ),
    judge(
      "a stop from another replica: 99 in 100 within 25 ms",
      `${stops.p99.toFixed(1)} ms, ${stops.failed} failed`,
      stops.p99 <= STOP && stops.failed === 0,
    ),
    judge(
      "kill -9 with a file: nothing lost that was received, one end each",
      `${lost} in ${crashes.length} crashes, ${damaged} files damaged`,
      lost + damaged === 0,
    ),
  ];
}
