// @ts-check
import { judge, judgeRatio, judgeTime, ratioOf } from "../verdicts.mjs";

/** What a decision may take, in nanoseconds. */
const DECISION = 10_000;

/** How much more a turn of the longest run may take than one of the shortest. */
const GROWTH = 1.5;

/**
 * What is promised of the agent loop, held against what was found.
 *
 * @param {import("../interleave.mjs").Measurements} measurements
 * @param {readonly import("./memory.mjs").HeldByRun[]} memory
 * @returns {readonly import("../verdicts.mjs").Verdict[]}
 */
export function judgeAgentLoop(measurements, memory) {
  const time = ratioOf(measurements.get("run/2000"), measurements.get("run/250"));
  const shortest = memory.find(({ turns }) => turns === 250)?.bytesPerTurn ?? Number.NaN;
  const longest = memory.find(({ turns }) => turns === 2000)?.bytesPerTurn ?? Number.NaN;
  return [
    judgeTime("a decision: at most 10 µs", measurements.get("decide"), DECISION),
    judgeRatio("2,000 turns: each at most 1.5 x one of 250", time, { atMost: GROWTH }),
    judge(
      "2,000 turns: each holds at most 1.5 x one of 250",
      `${(longest / shortest).toFixed(2)} x`,
      longest / shortest <= GROWTH,
    ),
  ];
}
