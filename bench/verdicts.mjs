// @ts-check
import { formatTime } from "./format.mjs";
import { summarize } from "./statistics.mjs";

/**
 * A promise of the project and what came of it in this run.
 *
 * @typedef {object} Verdict
 * @property {string} promise
 * @property {string} found
 * @property {"met" | "missed" | "not measured"} outcome
 * @property {string} [why] Where it was missed and the reason is known.
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

/** @typedef {{atLeast: number} | {atMost: number}} Limit */

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

/** What is said of a promise that is missed for no reason of its own. */
const DISAGREEING = "medians and best samples disagree: the machine was busy";
const BUSY = "the best sample keeps to it: the machine was busy";
const STRAYING = "some rounds keep to it: the machine was busy";

/**
 * What came of a promise.
 *
 * @param {string} promise
 * @param {string} found
 * @param {boolean} isMet
 * @param {string} [whenMissed] Why it is missed where it is, in plain words.
 * @returns {Verdict}
 */
export function judge(promise, found, isMet, whenMissed) {
  if (isMet) return { promise, found, outcome: "met" };
  return { promise, found, outcome: "missed", ...(whenMissed !== undefined && { why: whenMissed }) };
}

/**
 * Holds a ratio against what was promised. A promise counts as met only if the medians say so and the best samples
 * too: one of them alone can be luck.
 *
 * @param {string} promise
 * @param {Ratio | undefined} ratio
 * @param {Limit} limit
 * @param {string} [whenMissed]
 * @returns {Verdict}
 */
export function judgeRatio(promise, ratio, limit, whenMissed) {
  if (ratio === undefined) return { promise, found: "no figure", outcome: "not measured" };
  const found = `${ratio.median.toFixed(2)} x (best samples ${ratio.best.toFixed(2)} x)`;
  const [median, best] = [isWithin(ratio.median, limit), isWithin(ratio.best, limit)];
  if (median !== best) return judge(promise, found, false, DISAGREEING);
  const isStraying = [ratio.low, ratio.high].some((each) => isWithin(each, limit));
  return judge(promise, found, median, whenMissed ?? (isStraying ? STRAYING : undefined));
}

/**
 * Holds a median against a time that was promised.
 *
 * @param {string} promise
 * @param {import("./interleave.mjs").Measurement | undefined} measurement
 * @param {number} nanoseconds
 * @param {string} [whenMissed]
 * @returns {Verdict}
 */
export function judgeTime(promise, measurement, nanoseconds, whenMissed) {
  if (measurement === undefined || measurement.samples.length === 0) {
    return { promise, found: "no figure", outcome: "not measured" };
  }
  const { median, best } = summarize(measurement.samples);
  const found = `${formatTime(median)} (best sample ${formatTime(best)})`;
  return judge(promise, found, median <= nanoseconds, whenMissed ?? (best <= nanoseconds ? BUSY : undefined));
}

/**
 * @param {number} ratio
 * @param {Limit} limit
 * @returns {boolean}
 */
function isWithin(ratio, limit) {
  return "atLeast" in limit ? ratio >= limit.atLeast : ratio <= limit.atMost;
}
