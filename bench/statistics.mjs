// @ts-check

/**
 * What is kept of the samples of one subject. On a shared machine disturbance only ever adds time, so the best
 * sample is the closest to the truth, the median says what to expect, and the two quantiles how far to trust both.
 *
 * @typedef {object} Summary
 * @property {number} best
 * @property {number} low The tenth percentile.
 * @property {number} median
 * @property {number} high The ninetieth percentile.
 * @property {number} samples
 */

/**
 * @param {readonly number[]} samples
 * @returns {Summary}
 */
export function summarize(samples) {
  const sorted = samples.toSorted((first, second) => first - second);
  return {
    best: quantile(sorted, 0),
    low: quantile(sorted, 0.1),
    median: quantile(sorted, 0.5),
    high: quantile(sorted, 0.9),
    samples: sorted.length,
  };
}

/**
 * The quantile of sorted samples, interpolated between neighbours.
 *
 * @param {readonly number[]} sorted
 * @param {number} share
 * @returns {number}
 */
function quantile(sorted, share) {
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/**
 * What is kept of many waits: the usual one, and the ones that somebody notices.
 *
 * @typedef {object} Spread
 * @property {number} p50
 * @property {number} p99
 * @property {number} max
 * @property {number} samples
 */

/**
 * @param {readonly number[]} samples
 * @returns {Spread}
 */
export function spreadOf(samples) {
  const sorted = samples.toSorted((first, second) => first - second);
  const at = (/** @type {number} */ share) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), max: at(1), samples: sorted.length };
}
