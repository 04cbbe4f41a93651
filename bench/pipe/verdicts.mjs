// @ts-check
import { summarize } from "../statistics.mjs";
import { judge } from "../verdicts.mjs";

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
export function judgeCommandLine(measurements) {
  const speed = (/** @type {string} */ id) => 1e9 / summarize(measurements.get(id)?.samples ?? []).median;
  const plain = speed("plain/fullstop");
  const { median, best } = summarize(measurements.get("start/help")?.samples ?? []);
  return [
    judge(
      `pipe: at least ${LEAST_SPEED} MB/s of plain text with four stop strings`,
      `${plain.toFixed(0)} MB/s (other letters: ${speed("mixed/fullstop").toFixed(0)} MB/s)`,
      plain >= LEAST_SPEED,
    ),
    judge(
      `fullstop --help: at most ${LONGEST_START} ms`,
      `${(median / 1e6).toFixed(0)} ms (best ${(best / 1e6).toFixed(0)} ms)`,
      median / 1e6 <= LONGEST_START,
      "most of it is the start of Node itself",
    ),
  ];
}
