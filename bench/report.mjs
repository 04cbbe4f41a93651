// @ts-check
import { formatFactor, formatTime } from "./format.mjs";
import { summarize } from "./statistics.mjs";
import { ratioOf } from "./verdicts.mjs";

/**
 * One row of a table: who it is about, and whom it is set in relation to.
 *
 * @typedef {object} Row
 * @property {string} id
 * @property {string} label
 * @property {string} per What one figure is the time of: a token, an event, a call.
 * @property {string} [beside] The id of the row that this one is set in relation to.
 */

/**
 * A table of a report.
 *
 * @template {Row} [Entry=Row]
 * @typedef {object} Section
 * @property {string} title
 * @property {string} note
 * @property {readonly Entry[]} entries
 */

const COLUMNS = [42, 10, 10, 20, 11, 25];

/** How to read the tables. */
export const LEGEND = [
  "Times: the best round, the median, and where four rounds in five lie.",
  "The first ratio is that of the best rounds, which others on the machine disturb least; the second that of the",
  "medians, and in brackets where four in five of the ratios within one round lie.",
].join("\n");

/**
 * The table of one section.
 *
 * @param {Section} section
 * @param {import("./interleave.mjs").Measurements} measurements
 * @returns {string}
 */
export function formatSection({ title, note, entries }, measurements) {
  const per = entries[0]?.per ?? "token";
  const head = ["", "best", "median", "p10 – p90", "ratio", "of medians (p10 – p90)"];
  const rows = entries.map((entry) => formatRow(entry, per, measurements));
  return [`${title} (per ${per})`, `  ${note}`, ...[head, ...rows].map(formatCells), ""].join("\n");
}

/**
 * @param {Row} row
 * @param {string} sectionPer
 * @param {import("./interleave.mjs").Measurements} measurements
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
    ratio === undefined ? "" : `${formatFactor(ratio.best)} x`,
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
  const width = Math.max(...verdicts.map(({ promise }) => promise.length)) + 3;
  const rows = verdicts.map(
    ({ promise, found, outcome, why = "" }) =>
      `  ${outcome.toUpperCase().padEnd(14)}${promise.padEnd(width)}${found}${why === "" ? "" : `; ${why}`}`,
  );
  return ["What is promised, and what this run found", ...rows, ""].join("\n");
}
