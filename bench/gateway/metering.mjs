// @ts-check

/**
 * What a stretch of time has cost a subject.
 *
 * @typedef {object} Metered
 * @property {number} milliseconds
 * @property {number} processorMicroseconds
 * @property {number} busy The share of the time in which its process was at work; threads add up.
 */

/**
 * Takes the time and the processor's from here on.
 *
 * @param {import("./subjects.mjs").Subject} subject
 * @returns {Promise<() => Promise<Metered>>}
 */
export async function startMeter({ costs }) {
  const before = await costs();
  const began = performance.now();
  return async () => {
    const milliseconds = performance.now() - began;
    const after = await costs();
    const processorMicroseconds = after.processorMicroseconds - before.processorMicroseconds;
    return { milliseconds, processorMicroseconds, busy: processorMicroseconds / 1000 / milliseconds };
  };
}
