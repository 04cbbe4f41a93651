// @ts-check
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Why not mitata: it finishes one benchmark before it begins the next, so on a machine that is shared with others a
 * slow minute falls on one subject only and shows up as a ratio. Here every subject is measured once in each round.
 *
 * Why a process for each subject: V8 optimizes a call by the types it has seen there. Were several configurations
 * run in one process, whichever came first would be compiled for itself alone and the later ones would pay for
 * being different; the order would decide the ratio. In a process of its own each is compiled as in a program that
 * uses it alone. Only one process is ever at work; the others sleep.
 */

/** Rounds that are run and not counted: processes have just slept, and memory is still being laid out. */
const DROPPED_ROUNDS = 3;
const COUNTED_ROUNDS = 30;

/**
 * What came of one entry: one sample a round, or the reason why there is none.
 *
 * @typedef {object} Measurement
 * @property {readonly number[]} samples Nanoseconds per item, by round.
 * @property {string} [error]
 */

/**
 * Measures all entries, interleaved.
 *
 * @param {readonly import("./catalogue.mjs").Entry[]} entries
 * @param {(tokens: import("./catalogue.mjs").TokenSetName) => string} tokensFileOf
 * @param {(progress: string) => void} report
 * @returns {Promise<Map<string, Measurement>>} By entry id.
 */
export async function measure(entries, tokensFileOf, report) {
  const contestants = [];
  for (const entry of entries) {
    report(`warming up ${entry.id}`);
    contestants.push(await startContestant(entry, tokensFileOf(entry.tokens)));
  }
  for (let round = 0; round < DROPPED_ROUNDS + COUNTED_ROUNDS; round++) {
    report(`round ${round + 1} of ${DROPPED_ROUNDS + COUNTED_ROUNDS}`);
    for (let place = 0; place < contestants.length; place++) {
      // The start moves on from round to round, so that nobody always follows the same neighbour's heat.
      const contestant = contestants[(place + round) % contestants.length];
      await contestant?.run(round - DROPPED_ROUNDS);
    }
  }
  for (const { stop } of contestants) stop();
  return new Map(contestants.map(({ id, measurement }) => [id, measurement]));
}

/**
 * @param {import("./catalogue.mjs").Entry} entry
 * @param {string} tokensFile
 */
async function startContestant({ id, subject, options, rounds = COUNTED_ROUNDS }, tokensFile) {
  const child = fork(fileURLToPath(new URL("./worker.mjs", import.meta.url)));
  /**
   * @param {import("./worker.mjs").Request} request
   * @returns {Promise<import("./worker.mjs").Answer>}
   */
  const ask = (request) =>
    new Promise((resolve) => {
      const onExit = (/** @type {number | null} */ code) =>
        resolve({ type: "failed", message: `the process ended with ${code}` });
      child.once("exit", onExit);
      child.once("message", (/** @type {import("./worker.mjs").Answer} */ answer) => {
        child.off("exit", onExit);
        resolve(answer);
      });
      child.send(request);
    });
  /** @type {number[]} */
  const samples = [];
  /** @type {Measurement} */
  const measurement = { samples };
  const prepared = await ask({ type: "prepare", subject, options, tokensFile });
  if (prepared.type === "failed") measurement.error = prepared.message;

  return {
    id,
    measurement,
    /** @param {number} round Negative for rounds that are not counted. */
    async run(round) {
      if (measurement.error !== undefined || round >= rounds || (rounds < COUNTED_ROUNDS && round < 0)) return;
      const answer = await ask({ type: "round" });
      if (answer.type === "failed") measurement.error = answer.message;
      else if (answer.type === "sample" && round >= 0) samples.push(answer.nanoseconds);
    },
    stop: () => void child.kill(),
  };
}
