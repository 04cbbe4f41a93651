// @ts-check
import { summarize } from "./statistics.mjs";

/**
 * A promise of the project and what came of it in this run.
 *
 * @typedef {object} Verdict
 * @property {string} promise
 * @property {string} found
 * @property {"met" | "missed" | "not measured"} outcome
 */

/**
 * How many times the first takes as long as the second: of the best samples, of the medians, and how far the ratio
 * of two samples of the same round strays.
 *
 * @typedef {object} Ratio
 * @property {number} best
 * @property {number} median
 * @property {number} low
 * @property {number} high
 */

/**
 * @param {import("./interleave.mjs").Measurement | undefined} first
 * @param {import("./interleave.mjs").Measurement | undefined} second
 * @returns {Ratio | undefined}
 */
export function ratioOf(first, second) {
  if (first === undefined || second === undefined) return undefined;
  if (first.samples.length === 0 || second.samples.length === 0) return undefined;
  const firstSummary = summarize(first.samples);
  const secondSummary = summarize(second.samples);
  const byRound = summarize(first.samples.map((sample, round) => sample / (second.samples[round] ?? Number.NaN)));
  return {
    best: firstSummary.best / secondSummary.best,
    median: firstSummary.median / secondSummary.median,
    low: byRound.low,
    high: byRound.high,
  };
}

/**
 * Holds the figures against what was promised. A promise counts as met only if the medians say so and the best
 * samples too: one of them alone can be luck.
 *
 * @param {ReadonlyMap<string, import("./interleave.mjs").Measurement>} measurements
 * @param {import("./memory.mjs").MemoryFigures} memory
 * @returns {Verdict[]}
 */
export function judge(measurements, memory) {
  /**
   * @param {string} promise
   * @param {string} first
   * @param {string} second
   * @param {{atLeast: number} | {atMost: number}} limit
   * @returns {Verdict}
   */
  const compare = (promise, first, second, limit) => {
    const ratio = ratioOf(measurements.get(first), measurements.get(second));
    if (ratio === undefined) return { promise, found: "no figure", outcome: "not measured" };
    const found = `${ratio.median.toFixed(2)} x (best samples ${ratio.best.toFixed(2)} x)`;
    return { promise, found, outcome: isWithin(ratio.median, limit) && isWithin(ratio.best, limit) ? "met" : "missed" };
  };
  return [
    compare("4 stop strings: 5 x faster than (a)", "stop/rolling-buffer", "stop/fullstop", { atLeast: 5 }),
    compare("4 stop strings: 5 x faster than (b)", "stop/node-llama-cpp", "stop/fullstop", { atLeast: 5 }),
    compare("10,000 tags cost at most 1.5 x one", "growth/tags/10000", "growth/tags/1", { atMost: 1.5 }),
    compare("10,000 random words cost at most 1.5 x one", "growth/words/10000", "growth/words/1", { atMost: 1.5 }),
    compare("self-similar: at most 3 x normal", "self-similar/fullstop", "stop/fullstop", { atMost: 3 }),
    compare("repetition: 20 x faster than (c)", "repetition/plain", "repetition/fullstop", { atLeast: 20 }),
    compare("period 2,000 costs at most 1.5 x 100", "repetition/2000", "repetition/100", { atMost: 1.5 }),
    judgeWholeGuard(measurements.get("whole/guard")),
    {
      promise: "a million tokens: held no more than the windows",
      found: `${memory.growth.toFixed(0)} bytes more than after 1,000 tokens`,
      outcome: memory.growth < 1000 ? "met" : "missed",
    },
  ];
}

/**
 * @param {number} ratio
 * @param {{atLeast: number} | {atMost: number}} limit
 * @returns {boolean}
 */
function isWithin(ratio, limit) {
  return "atLeast" in limit ? ratio >= limit.atLeast : ratio <= limit.atMost;
}

/**
 * @param {import("./interleave.mjs").Measurement | undefined} measurement
 * @returns {Verdict}
 */
function judgeWholeGuard(measurement) {
  const promise = "whole guard: at most 500 ns a token";
  if (measurement === undefined || measurement.samples.length === 0) {
    return { promise, found: "no figure", outcome: "not measured" };
  }
  const { median, best } = summarize(measurement.samples);
  const found = `${median.toFixed(0)} ns (best sample ${best.toFixed(0)} ns)`;
  return { promise, found, outcome: median <= 500 ? "met" : "missed" };
}
