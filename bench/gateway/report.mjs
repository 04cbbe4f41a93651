// @ts-check
import { summarize } from "../statistics.mjs";
import { LABELS } from "./catalogue.mjs";

/**
 * What a chunk or a request has cost besides its time. Medians.
 *
 * @typedef {object} Costs
 * @property {number} processorMicroseconds
 * @property {number} perSecond How many there were in a second; streams have a pace of their own.
 * @property {number} busy The share of the time in which the process was at work.
 * @property {number} readsPerEvent
 */

/**
 * @param {import("./rounds.mjs").Samples} samples
 * @returns {Readonly<Record<string, Costs>>} By id.
 */
export function summarizeSamples(samples) {
  /** @type {Record<string, Costs>} */
  const costs = {};
  for (const [id, list] of samples) {
    const median = (/** @type {keyof import("./speed.mjs").Sample} */ field) =>
      summarize(list.map((sample) => sample[field])).median;
    costs[id] = {
      processorMicroseconds: median("processorMicroseconds"),
      perSecond: median("perSecond"),
      busy: median("busy"),
      readsPerEvent: median("readsPerEvent"),
    };
  }
  return costs;
}

/**
 * The figures that no table of times shows.
 *
 * @param {Readonly<Record<string, Costs>>} costs
 * @param {import("./growth.mjs").GrowthFigures} growth
 * @returns {string}
 */
export function formatOthers(costs, growth) {
  return [
    "Processor time, items a second, the share of time at work, the client's reads for an event (medians)",
    ...Object.entries(costs).map(
      ([id, { processorMicroseconds, perSecond, busy, readsPerEvent }]) =>
        `  ${id.padEnd(52)}${processorMicroseconds.toFixed(1).padStart(8)} µs${perSecond.toFixed(0).padStart(7)}` +
        `${(100 * busy).toFixed(0).padStart(5)} %${readsPerEvent.toFixed(2).padStart(6)}`,
    ),
    "",
    "More and more streams at once: processor time of a chunk, and the most memory so far",
    ...Object.entries(growth).map(([name, levels]) =>
      [`  ${LABELS[/** @type {import("./subjects.mjs").SubjectName} */ (name)]}`]
        .concat(levels.map(formatLevel))
        .join("\n"),
    ),
    "",
  ].join("\n");
}

/**
 * @param {import("./growth.mjs").Level} level
 * @returns {string}
 */
function formatLevel({ streams, processorMicroseconds, peakMebibytes }) {
  return (
    `    ${streams.toLocaleString("en").padStart(5)}${processorMicroseconds.toFixed(1).padStart(8)} µs` +
    `${peakMebibytes.toFixed(0).padStart(6)} MiB`
  );
}
