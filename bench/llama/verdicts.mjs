// @ts-check
import { judge, judgeRatio, ratioOf } from "../verdicts.mjs";

/**
 * What was measured beside the times of the rounds.
 *
 * @typedef {object} OtherFigures
 * @property {import("./answers.mjs").AnswerFigures} answers
 * @property {import("./batches.mjs").BatchFigures} batches
 * @property {import("./stops.mjs").AllStopFigures} stops
 * @property {import("./memory.mjs").MemoryFigures} memory
 * @property {import("./responsiveness.mjs").ResponsivenessFigures} responsiveness
 */

/** The most token times from a stop until the place is free. */
const MOST_TOKEN_TIMES = 2;
const OTHERS = "the model takes all of a core; whatever else the machine does takes from it";
/** Less than a page of memory a cycle is the allocator's coming and going. */
const MOST_BYTES_PER_CYCLE = 4096;

/**
 * Holds the figures against what was promised of the local engine.
 *
 * @param {import("../interleave.mjs").Measurements} measurements
 * @param {OtherFigures} others
 * @returns {readonly import("../verdicts.mjs").Verdict[]}
 */
export function judgeLocalEngine(measurements, { answers, stops, memory }) {
  /**
   * How many times as many tokens the first makes in the same time as the second.
   *
   * @param {string} promise
   * @param {string} first
   * @param {string} second
   * @param {number} atLeast
   */
  const compareSpeed = (promise, first, second, atLeast) =>
    judgeRatio(promise, ratioOf(measurements.get(second), measurements.get(first)), { atLeast }, OTHERS);
  return [
    compareSpeed("every rule on: 0.95 x the speed of the bare loop", "one/every-rule", "one/bare", 0.95),
    compareSpeed("8 together: 1.5 x the speed of one", "eight/every-rule", "one/every-rule", 1.5),
    judge(
      "8 together: each says what it says alone",
      `${answers.wrongOfEngine} of ${answers.answers} answers are wrong`,
      answers.wrongOfEngine === 0,
    ),
    judgeStops("stopped alone: place free within 2 tokens' time (p99)", stops.alone),
    judgeStops("stopped among 7 others: place free within 2 tokens' time (p99)", stops.amongOthers),
    judge(
      "after a stop no batch is begun for it",
      `${Math.max(stops.alone.batches.max, stops.inPrompt.batches.max)} at most`,
      stops.alone.batches.max + stops.inPrompt.batches.max === 0,
    ),
    ...memory.growth.map(judgeGrowth),
  ];
}

/**
 * @param {import("./memory.mjs").Growth} growth
 * @returns {import("../verdicts.mjs").Verdict}
 */
function judgeGrowth({ from, to, bytesPerCycle }) {
  return judge(
    `starts and stops ${from.toLocaleString("en")} to ${to.toLocaleString("en")}: memory stays flat`,
    `${bytesPerCycle.toFixed(0)} bytes a cycle`,
    bytesPerCycle < MOST_BYTES_PER_CYCLE,
    "compiled code and the allocator's stock of each thread still settle in the first few hundred cycles",
  );
}

/**
 * @param {string} promise
 * @param {import("./stops.mjs").StopFigures} figures
 * @returns {import("../verdicts.mjs").Verdict}
 */
function judgeStops(promise, { units, gaps, unit }) {
  return judge(
    promise,
    `${units.p99.toFixed(2)} (median ${units.p50.toFixed(2)}, most ${units.max.toFixed(2)})`,
    units.p99 <= MOST_TOKEN_TIMES,
    `between tokens that nobody stops the machine itself takes up to ${(gaps.p99 / unit).toFixed(1)} tokens' time (p99)`,
  );
}
