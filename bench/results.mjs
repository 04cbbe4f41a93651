// @ts-check
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { summarize } from "./statistics.mjs";
import { ratioOf } from "./verdicts.mjs";

/** Where the figures of the last run of each part are. */
export const RESULTS = fileURLToPath(new URL("./results", import.meta.url));

/** The machine that the figures are from. */
export function describeMachine() {
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  };
}

/**
 * Writes everything that was found, every sample included.
 *
 * @param {string} file Its name in results/.
 * @param {readonly import("./report.mjs").Section[]} sections
 * @param {import("./interleave.mjs").Measurements} measurements
 * @param {object} rest What else belongs to the run.
 * @returns {string} Where it is.
 */
export function writeResults(file, sections, measurements, rest) {
  const figures = sections.flatMap(({ title, entries }) =>
    entries.map(({ id, label, per, beside }) => {
      const measurement = measurements.get(id) ?? { samples: [], error: "not measured" };
      return {
        section: title,
        id,
        label,
        per,
        nanoseconds: measurement.samples.length === 0 ? undefined : summarize(measurement.samples),
        beside,
        ratio: beside === undefined ? undefined : ratioOf(measurement, measurements.get(beside)),
        error: measurement.error,
        samples: measurement.samples,
      };
    }),
  );
  return writeJson(file, { ...rest, figures });
}

/**
 * Writes how long the whole run took, and each of its parts.
 *
 * @param {{seconds: number, parts: readonly import("./run-part.mjs").PartTime[]}} times
 */
export function writeWholeRun(times) {
  writeJson("whole-run.json", times);
}

/**
 * @param {string} file
 * @param {object} value
 * @returns {string} Where it is.
 */
function writeJson(file, value) {
  const results = { date: new Date().toISOString(), machine: describeMachine(), ...value };
  mkdirSync(RESULTS, { recursive: true });
  // Lists of samples on one line each: thirty lines apiece would bury the rest.
  const json = JSON.stringify(results, roundNumbers, 2).replaceAll(/\[[\d\s.,]+\]/gu, (list) =>
    list.replaceAll(/\s+/gu, " "),
  );
  const path = join(RESULTS, file);
  writeFileSync(path, `${json}\n`);
  return path;
}

/**
 * @param {string} _key
 * @param {unknown} value
 * @returns {unknown}
 */
function roundNumbers(_key, value) {
  return typeof value === "number" ? Math.round(value * 1000) / 1000 : value;
}
