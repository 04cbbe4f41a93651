// @ts-check
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { dirname } from "node:path";
import { summarize } from "./statistics.mjs";
import { ratioOf } from "./verdicts.mjs";

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
 * @param {string} file
 * @param {readonly import("./report.mjs").Section[]} sections
 * @param {import("./interleave.mjs").Measurements} measurements
 * @param {object} rest What else belongs to the run.
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
  const results = { date: new Date().toISOString(), machine: describeMachine(), ...rest, figures };
  mkdirSync(dirname(file), { recursive: true });
  // Lists of samples on one line each: thirty lines apiece would bury the rest.
  const json = JSON.stringify(results, roundNumbers, 2).replaceAll(/\[[\d\s.,]+\]/gu, (list) =>
    list.replaceAll(/\s+/gu, " "),
  );
  writeFileSync(file, `${json}\n`);
}

/**
 * @param {string} _key
 * @param {unknown} value
 * @returns {unknown}
 */
function roundNumbers(_key, value) {
  return typeof value === "number" ? Math.round(value * 1000) / 1000 : value;
}
