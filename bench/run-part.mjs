// @ts-check
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { formatLoad, formatMachine } from "./format.mjs";
import { PARTS } from "./parts.mjs";
import { formatSection, formatVerdicts } from "./report.mjs";
import { describeMachine, writeResults } from "./results.mjs";

/**
 * How long a part took.
 *
 * @typedef {object} PartTime
 * @property {import("./parts.mjs").PartName} part
 * @property {number} seconds
 */

/**
 * Runs a part, prints what it has found and writes it into its file.
 *
 * @param {import("./parts.mjs").PartName} name
 * @param {import("./parts.mjs").Sampling} sampling
 * @returns {Promise<PartTime>}
 */
export async function runPart(name, sampling) {
  const { title, file, load } = PARTS[name];
  const began = performance.now();
  const before = loadavg();
  console.log(`== ${title} ==\n${formatMachine(describeMachine(), before)}`);
  const directory = mkdtempSync(join(tmpdir(), "fullstop-bench-"));
  try {
    const run = await load();
    const { sections, measurements, verdicts, remarks, others } = await run({ directory, sampling, showProgress });
    showProgress("");
    for (const section of sections) console.log(formatSection(section, measurements));
    if (remarks !== "") console.log(remarks);
    console.log(formatVerdicts(verdicts));
    const seconds = Math.round((performance.now() - began) / 1000);
    const loadAverages = { before, after: loadavg() };
    const path = writeResults(file, sections, measurements, { sampling, seconds, loadAverages, ...others, verdicts });
    console.log(`Load averages at the end: ${formatLoad(loadAverages.after)}`);
    console.log(`${seconds} s; written to ${path}\n`);
    return { part: name, seconds };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Says what is going on, in place, to whoever watches; a log file is spared.
 *
 * @param {string} progress
 */
function showProgress(progress) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${progress}`);
}
