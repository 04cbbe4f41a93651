// @ts-check
import { summarize } from "../statistics.mjs";

/** What the filter has to manage, in megabytes a second. */
const LEAST_SPEED = 100;
/** What the help may take, in milliseconds. */
const LONGEST_START = 150;

/**
 * What is promised of the command line, held against what was found.
 *
 * @param {import("../interleave.mjs").Measurements} measurements
 * @returns {readonly import("../verdicts.mjs").Verdict[]}
 */
export function judge(measurements) {
  const speed = (/** @type {string} */ id) => 1e9 / summarize(measurements.get(id)?.samples ?? []).median;
  const plain = speed("plain/fullstop");
  const { median, best } = summarize(measurements.get("start/help")?.samples ?? []);
  return [
    {
      promise: `pipe: at least ${LEAST_SPEED} MB/s of plain text with four stop strings`,
      found: `${plain.toFixed(0)} MB/s (other letters: ${speed("mixed/fullstop").toFixed(0)} MB/s)`,
      outcome: plain >= LEAST_SPEED ? "met" : "missed",
    },
    {
      promise: `fullstop --help: at most ${LONGEST_START} ms`,
      found: `${(median / 1e6).toFixed(0)} ms (best ${(best / 1e6).toFixed(0)} ms)`,
      outcome: median / 1e6 <= LONGEST_START ? "met" : "missed",
    },
  ];
}
