// @ts-check
import { fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findPeersNode, installPeers, peerVersion } from "../peers.mjs";
import { describeMachine } from "../results.mjs";
import { readRecordedCases } from "./recorded.mjs";
import { serveCases } from "./server.mjs";
import { SUBJECTS, SUBJECT_NAMES } from "./subjects.mjs";
import { SYNTHETIC_CASES } from "./synthetic/index.mjs";
import { listMisses, tally } from "./tally.mjs";

/** @typedef {import("./subjects.mjs").SubjectName} SubjectName */
/** @typedef {import("./outcome.mjs").Answer} Answer */

const RESULTS = fileURLToPath(new URL("../results/accuracy.json", import.meta.url));
const WORKER = fileURLToPath(new URL("./worker.mjs", import.meta.url));

/**
 * What was found, as it is written down.
 *
 * @typedef {object} AccuracyResults
 * @property {string} date
 * @property {ReturnType<typeof describeMachine>} machine
 * @property {{ readonly synthetic: number, readonly recorded: number }} cases
 * @property {readonly SubjectResults[]} subjects
 */

/**
 * @typedef {object} SubjectResults
 * @property {SubjectName} name
 * @property {string} version
 * @property {import("./tally.mjs").Tally} synthetic
 * @property {import("./tally.mjs").Tally} recorded
 * @property {ReturnType<typeof listMisses>} misses The synthetic cases that it did not get right.
 */

/**
 * Has everybody read the same answers, over sockets, with a client of its own, and writes down who named which ending.
 */
export async function runAccuracyBenchmark() {
  installPeers();
  const recorded = readRecordedCases();
  const cases = [...SYNTHETIC_CASES, ...recorded];
  const server = await serveCases(cases);
  const questions = cases.map(({ dialect, isStream, tools }, index) => {
    return { dialect, isStream, tools, url: `${server.url}/case/${index}` };
  });
  const subjects = [];
  for (const name of SUBJECT_NAMES) {
    const answers = await ask(name, questions);
    const synthetic = answers.slice(0, SYNTHETIC_CASES.length);
    subjects.push({
      name,
      version: versionFor(name),
      synthetic: tally(name, SYNTHETIC_CASES, synthetic),
      recorded: tally(name, recorded, answers.slice(SYNTHETIC_CASES.length)),
      misses: listMisses(name, SYNTHETIC_CASES, synthetic),
    });
  }
  server.close();
  /** @type {AccuracyResults} */
  const results = {
    date: new Date().toISOString(),
    machine: describeMachine(),
    cases: { synthetic: SYNTHETIC_CASES.length, recorded: recorded.length },
    subjects,
  };
  writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
  console.log(describe(results));
}

/**
 * @param {SubjectName} subject
 * @param {readonly import("./outcome.mjs").Question[]} questions
 * @returns {Promise<readonly Answer[]>}
 */
function ask(subject, questions) {
  const execPath = subject === "fullstop" ? process.execPath : findPeersNode();
  // Some peers write to standard output what they could not read.
  const child = fork(WORKER, { execPath, stdio: ["ignore", "ignore", "ignore", "ipc"] });
  return new Promise((resolve, reject) => {
    child.once("message", (/** @type {readonly Answer[]} */ answers) => resolve(answers));
    child.once("exit", (code) => reject(new Error(`the reader for ${subject} ended with ${code}`)));
    child.send({ subject, questions });
  });
}

/** @param {SubjectName} name */
function versionFor(name) {
  const { versionOf: from } = SUBJECTS[name];
  return from === undefined ? "this checkout" : peerVersion(from);
}

/** @param {AccuracyResults} results */
function describe({ cases, subjects }) {
  const rows = subjects.map(({ name, version, synthetic, recorded }) => {
    const figures = [synthetic, recorded].map(
      ({ right, vague, wrong, notOffered, falseSuccesses }) =>
        `${right} right, ${vague} vague, ${wrong} wrong (${falseSuccesses} false successes), ${notOffered} not offered`,
    );
    return `  ${`${SUBJECTS[name].label} ${version}`.padEnd(28)}${figures.join(" | ")}`;
  });
  return [`Who names the ending: ${cases.synthetic} synthetic | ${cases.recorded} recorded`, ...rows, ""].join("\n");
}
