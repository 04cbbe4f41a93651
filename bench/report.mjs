// @ts-check
import { summarize } from "./statistics.mjs";
import { ratioOf } from "./verdicts.mjs";

const COLUMNS = [37, 11, 11, 21, 27];

/**
 * The table of one section.
 *
 * @param {import("./catalogue.mjs").Section} section
 * @param {ReadonlyMap<string, import("./interleave.mjs").Measurement>} measurements
 * @returns {string}
 */
export function formatSection({ title, note, entries }, measurements) {
  const per = entries[0]?.per ?? "token";
  const head = ["", "best", "median", "p10 – p90", "median ratio (p10 – p90)"];
  const rows = entries.map((entry) => formatRow(entry, per, measurements));
  return [`${title} (per ${per})`, `  ${note}`, ...[head, ...rows].map(formatCells), ""].join("\n");
}

/**
 * @param {import("./catalogue.mjs").Entry} entry
 * @param {string} sectionPer
 * @param {ReadonlyMap<string, import("./interleave.mjs").Measurement>} measurements
 * @returns {readonly string[]}
 */
function formatRow({ id, label, per, beside }, sectionPer, measurements) {
  const shownLabel = per === sectionPer ? label : `${label}, per ${per}`;
  const measurement = measurements.get(id);
  if (measurement === undefined) return [shownLabel, "not measured"];
  if (measurement.error !== undefined) return [shownLabel, `failed: ${measurement.error}`];
  const { best, low, median, high } = summarize(measurement.samples);
  const ratio = beside === undefined ? undefined : ratioOf(measurement, measurements.get(beside));
  const spread = ratio === undefined ? "" : `(${formatFactor(ratio.low)} – ${formatFactor(ratio.high)})`;
  return [
    shownLabel,
    formatTime(best),
    formatTime(median),
    `${formatTime(low)} – ${formatTime(high)}`,
    ratio === undefined ? "" : `${formatFactor(ratio.median)} x ${spread}`,
  ];
}

/**
 * @param {readonly string[]} cells
 * @returns {string}
 */
function formatCells(cells) {
  const padded = cells.map((cell, index) =>
    index === 0 ? cell.padEnd(COLUMNS[0] ?? 0) : cell.padStart(COLUMNS[index] ?? 0),
  );
  return `  ${padded.join("")}`.trimEnd();
}

/**
 * @param {readonly import("./verdicts.mjs").Verdict[]} verdicts
 * @returns {string}
 */
export function formatVerdicts(verdicts) {
  const rows = verdicts.map(
    ({ promise, found, outcome }) => `  ${outcome.toUpperCase().padEnd(14)}${promise.padEnd(46)}${found}`,
  );
  return ["What was promised (issue 2), and what this run found", ...rows, ""].join("\n");
}

/**
 * @param {import("./memory.mjs").MemoryFigures} figures
 * @returns {string}
 */
export function formatMemory({ tokens, fresh, growth }) {
  return [
    "Steady memory (every rule on, after collecting garbage)",
    `  a guard holds ${formatBytes(fresh)} after its first 1,000 tokens`,
    `  and ${growth < 0 ? "" : "+"}${formatBytes(growth)} after ${tokens.toLocaleString("en")} more`,
    "",
  ].join("\n");
}

/**
 * @param {number} nanoseconds
 * @returns {string}
 */
function formatTime(nanoseconds) {
  if (nanoseconds >= 1e6) return `${(nanoseconds / 1e6).toFixed(0)} ms`;
  if (nanoseconds >= 1e4) return `${(nanoseconds / 1e3).toFixed(1)} µs`;
  return `${nanoseconds.toFixed(nanoseconds < 100 ? 1 : 0)} ns`;
}

/**
 * @param {number} factor
 * @returns {string}
 */
function formatFactor(factor) {
  return factor.toFixed(factor < 10 ? 2 : 0);
}

/**
 * @param {number} bytes
 * @returns {string}
 */
function formatBytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
