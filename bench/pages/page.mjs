// @ts-check
import { formatFactor, formatTime } from "../format.mjs";
import { PARTS, isPart } from "../parts.mjs";
import { writeTable } from "./table.mjs";

/**
 * @typedef {import("./read-results.mjs").AllResults} AllResults
 * @typedef {import("./read-results.mjs").PartResults} PartResults
 * @typedef {import("./read-results.mjs").Figure} Figure
 * @typedef {import("./plots.mjs").Plot} Plot
 * @typedef {import("../parts.mjs").PartName} PartName
 */

/** Where the drawings are, from the page. */
export const PLOT_FOLDER = "benchmarks";

/**
 * Writes docs/benchmarks.md.
 *
 * @param {AllResults} results
 * @param {readonly Plot[]} plots
 * @returns {string}
 */
export function writePage(results, plots) {
  const present = Object.keys(PARTS)
    .filter(isPart)
    .flatMap((name) => {
      const part = results.parts.get(name);
      return part === undefined ? [] : [{ name, part }];
    });
  return [
    ...writeHead(results),
    "## What was asked, and what was found",
    writeCount(present.flatMap(({ part }) => part.verdicts)),
    ...present.flatMap(({ name, part }) => [`### ${PARTS[name].title}`, writeVerdicts(part)]),
    "## How it grows, and beside whom",
    ...plots.flatMap(({ name, title, caption }) => [`![${title}](${PLOT_FOLDER}/${name}.svg)`, caption]),
    "## Every figure",
    "The median, where four rounds in five lie, and the ratio of the medians to the row that is named.",
    ...present.flatMap(({ name, part }) => writeFigures(name, part)),
  ]
    .filter((paragraph) => paragraph !== "")
    .join("\n\n")
    .concat("\n");
}

/**
 * @param {AllResults} results
 * @returns {readonly string[]}
 */
function writeHead({ parts, wholeRun }) {
  const rows = [...parts].map(([name, { date, seconds, sampling, machine, loadAverages }]) => [
    `\`npm run bench -- ${name}\``,
    PARTS[name].title,
    date.slice(0, 10),
    sampling,
    `${seconds} s`,
    machine.node,
    loadAverages.before[0]?.toFixed(1) ?? "",
  ]);
  const [machine] = [...parts.values()].map((part) => part.machine);
  const lasted = wholeRun === undefined ? "" : ` The last one took ${(wholeRun.seconds / 60).toFixed(1)} minutes.`;
  return [
    "# Benchmarks",
    "Written by `npm run bench`; `npm run bench -- report` writes it anew from `bench/results`, where all samples are.",
    "```sh\nnpm run bench\n```",
    `runs all of it in a quarter of an hour on two cores, with short samples.${lasted} A part run by its name takes more samples. Everybody in a table was measured in the same run, in turns, so that a slow minute falls on all of them; whoever is set beside somebody else runs on the same Node. Stages are timed by [mitata](https://github.com/evanwashere/mitata), each in a process of its own. Peers are installed when a part needs them (\`bench/peers\`); nginx is Debian's and is left out where it is not installed.`,
    machine === undefined
      ? ""
      : `These figures are from ${machine.cores} cores of an ${machine.processor} with ${machine.memoryGigabytes} GB, which is shared with others.`,
    writeTable(["command", "part", "measured", "samples", "took", "Node", "load before"], rows),
  ];
}

/**
 * @param {readonly import("../verdicts.mjs").Verdict[]} verdicts
 * @returns {string}
 */
function writeCount(verdicts) {
  const count = (/** @type {string} */ outcome) => verdicts.filter((verdict) => verdict.outcome === outcome).length;
  const unmeasured = count("not measured");
  const rest = unmeasured === 0 ? "" : `, ${unmeasured} not measured`;
  return `${count("met")} of ${verdicts.length} are met, ${count("missed")} missed${rest}. A ratio counts as met only if the medians and the best samples both say so: one of them alone can be luck.`;
}

/**
 * @param {PartResults} part
 * @returns {string}
 */
function writeVerdicts({ verdicts }) {
  const rows = verdicts.map(({ promise, found, outcome, why = "" }) => [
    promise,
    found,
    outcome === "met" ? "met" : `**${outcome}**`,
    why,
  ]);
  return writeTable(["asked", "found", "", "why"], rows);
}

/**
 * @param {PartName} name
 * @param {PartResults} part
 * @returns {readonly string[]}
 */
function writeFigures(name, part) {
  const titles = [...new Set(part.figures.map(({ section }) => section))];
  if (titles.length === 0) return [];
  const labels = new Map(part.figures.map(({ id, label }) => [id, label.trim()]));
  return [
    `### ${PARTS[name].title}: figures`,
    ...writeNotes(part),
    ...titles.flatMap((title) => {
      const figures = part.figures.filter(({ section }) => section === title);
      const per = figures[0]?.per ?? "";
      return [
        `**${title}**`,
        writeTable(
          [/^\d/u.test(per) ? per : `a ${per}`, "median", "p10 – p90", "ratio", "to"],
          figures.map((figure) => writeFigure(figure, per, labels)),
        ),
      ];
    }),
  ];
}

/**
 * Who the peers are, and what they run on.
 *
 * @param {PartResults & Partial<import("./read-results.mjs").GatewayDetails>} part
 * @returns {readonly string[]}
 */
function writeNotes({ peers = {}, runsOn = {}, skipped = {} }) {
  return [
    writeList("Peers", peers, " "),
    writeList("What runs each", runsOn, ": "),
    writeList("Left out", skipped, ": "),
  ];
}

/**
 * @param {string} title
 * @param {Readonly<Record<string, string>>} entries
 * @param {string} between
 * @returns {string}
 */
function writeList(title, entries, between) {
  const list = Object.entries(entries).map(([name, value]) => `${name}${between}${value}`);
  return list.length === 0 ? "" : `${title}: ${list.join("; ")}.`;
}

/**
 * @param {Figure} figure
 * @param {string} sectionPer
 * @param {ReadonlyMap<string, string>} labels
 * @returns {readonly string[]}
 */
function writeFigure({ label, per, nanoseconds, ratio, beside, error }, sectionPer, labels) {
  const shown = per === sectionPer ? label.trim() : `${label.trim()}, a ${per}`;
  if (nanoseconds === undefined) return [shown, error ?? "not measured", "", "", ""];
  const { median, low, high } = nanoseconds;
  const spread =
    ratio === undefined
      ? ""
      : `${formatFactor(ratio.median)} (${formatFactor(ratio.low)} – ${formatFactor(ratio.high)})`;
  return [
    shown,
    formatTime(median),
    `${formatTime(low)} – ${formatTime(high)}`,
    spread,
    beside === undefined ? "" : (labels.get(beside) ?? beside),
  ];
}
