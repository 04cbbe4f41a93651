// @ts-check

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
