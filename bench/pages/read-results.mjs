// @ts-check
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PARTS, isPart } from "../parts.mjs";
import { RESULTS } from "../results.mjs";

/**
 * One row of a part's tables, as it is in the file.
 *
 * @typedef {object} Figure
 * @property {string} section
 * @property {string} id
 * @property {string} label
 * @property {string} per
 * @property {import("../statistics.mjs").Summary} [nanoseconds]
 * @property {string} [beside]
 * @property {import("../verdicts.mjs").Ratio} [ratio]
 * @property {string} [error]
 */

/**
 * What every part's file holds. What else is in it, only whoever knows the part knows.
 *
 * @typedef {object} PartResults
 * @property {string} date
 * @property {ReturnType<typeof import("../results.mjs").describeMachine>} machine
 * @property {import("../parts.mjs").Sampling} sampling
 * @property {number} seconds
 * @property {{before: readonly number[], after: readonly number[]}} loadAverages
 * @property {readonly import("../verdicts.mjs").Verdict[]} verdicts
 * @property {readonly Figure[]} figures
 */

/**
 * What the gateway's file holds beyond that.
 *
 * @typedef {object} GatewayDetails
 * @property {Readonly<Record<string, string>>} peers
 * @property {Readonly<Record<string, string>>} runsOn
 * @property {Readonly<Record<string, string>>} skipped
 * @property {import("../gateway/growth.mjs").GrowthFigures} growth
 *
 * @typedef {PartResults & GatewayDetails} GatewayResults
 */

/**
 * How long the last whole run took.
 *
 * @typedef {object} WholeRun
 * @property {string} date
 * @property {number} seconds
 * @property {readonly import("../run-part.mjs").PartTime[]} parts
 */

/**
 * What was measured last, of each part that has been run.
 *
 * @typedef {object} AllResults
 * @property {ReadonlyMap<import("../parts.mjs").PartName, PartResults>} parts
 * @property {WholeRun | undefined} wholeRun
 */

/** @returns {AllResults} */
export function readResults() {
  /** @type {Map<import("../parts.mjs").PartName, PartResults>} */
  const parts = new Map();
  for (const name of Object.keys(PARTS).filter(isPart)) {
    const found = /** @type {PartResults | undefined} */ (readJson(PARTS[name].file));
    if (found !== undefined) parts.set(name, found);
  }
  return { parts, wholeRun: /** @type {WholeRun | undefined} */ (readJson("whole-run.json")) };
}

/**
 * @param {string} file
 * @returns {unknown}
 */
function readJson(file) {
  const path = join(RESULTS, file);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}
