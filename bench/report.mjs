// @ts-check
import { summarize } from "./statistics.mjs";
import { ratioOf } from "./verdicts.mjs";

const COLUMNS = [42, 10, 10, 20, 11, 25];

/**
 * What was measured on what.
 *
 * @param {ReturnType<typeof import("./results.mjs").describeMachine>} machine
 * @param {import("./token-sets.mjs").Corpus} corpus
 * @returns {string}
 */
export function formatHead({ processor, cores, node }, { characters, tokens, lines, linesLeftOutForRepetition }) {
  return [
    `${processor}, ${cores} cores, Node ${node}`,
    `Markdown: ${characters.toLocaleString("en")} characters of README files in ${tokens.toLocaleString("en")} ` +
      `GPT tokens, ${(characters / tokens).toFixed(1)} characters each.`,
    `For repetition, ${linesLeftOutForRepetition} of ${lines.toLocaleString("en")} lines are left out in which the ` +
      "settings measured find loops (rules, borders):",
    "having found one, a detector has nothing more to do, so it can be timed only where there is none.",
    "Times are for one token unless it says otherwise: the best round, the median, and where four rounds in five lie.",
    "The first ratio is that of the best rounds, which others on the machine disturb least; the second that of the",
    "medians, and in brackets where four in five of the ratios within one round lie.",
    "",
  ].join("\n");
}

/**
 * The table of one section.
 *
 * @param {import("./catalogue.mjs").Section} section
 * @param {ReadonlyMap<string, import("./interleave.mjs").Measurement>} measurements
 * @returns {string}
 */
export function formatSection({ title, note, entries }, measurements) {
  const per = entries[0]?.per ?? "token";
  const head = ["", "best", "median", "p10 – p90", "ratio", "of medians (p10 – p90)"];
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
  const rows = verdicts.map(
    ({ promise, found, outcome }) => `  ${outcome.toUpperCase().padEnd(14)}${promise.padEnd(50)}${found}`,
  );
  return ["What is promised, and what this run found", ...rows, ""].join("\n");
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
  return Math.abs(bytes) < 1000 ? `${bytes.toFixed(0)} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}
