// @ts-check
import { fork } from "node:child_process";

/**
 * Why rounds: a runner that finishes one subject before it begins the next lets a slow minute of a shared machine fall
 * on one subject only, where it shows up as a ratio. Here every subject is timed once in each round, by mitata.
 *
 * Why a process for each subject: V8 optimizes a call by the types it has seen there. Were several configurations
 * run in one process, whichever came first would be compiled for itself alone and the later ones would pay for
 * being different; the order would decide the ratio. In a process of its own each is compiled as in a program that
 * uses it alone. Only one process is ever at work; the others sleep.
 */

/** Rounds that are run and not counted: processes have just slept, and memory is still being laid out. */
const DROPPED_ROUNDS = 2;

/** @type {Readonly<Record<import("./parts.mjs").Sampling, number>>} */
const COUNTED_ROUNDS = { long: 30, short: 6 };

/**
 * Somebody to be measured: what its process is told before the first round, and how many rounds are enough where a
 * pass takes seconds.
 *
 * @typedef {object} Contestant
 * @property {string} id
 * @property {object} task
 * @property {number | undefined} [rounds]
 */

/**
 * What came of one contestant: one sample a round, or the reason why there is none.
 *
 * @typedef {object} Measurement
 * @property {readonly number[]} samples Nanoseconds per item, by round.
 * @property {string} [error]
 */

/** @typedef {ReadonlyMap<string, Measurement>} Measurements By id. */

/**
 * Measures all contestants, interleaved.
 *
 * @param {readonly Contestant[]} contestants
 * @param {string} workerFile The program of their processes, which serves rounds: see rounds.mjs.
 * @param {Pick<import("./parts.mjs").Surroundings, "sampling" | "showProgress">} surroundings
 * @returns {Promise<Measurements>}
 */
export async function measure(contestants, workerFile, { sampling, showProgress }) {
  const counted = COUNTED_ROUNDS[sampling];
  const runners = [];
  for (const contestant of contestants) {
    showProgress(`warming up ${contestant.id}`);
    runners.push(await start(counted, contestant, workerFile));
  }
  for (let round = 0; round < DROPPED_ROUNDS + counted; round++) {
    showProgress(`round ${round + 1} of ${DROPPED_ROUNDS + counted}`);
    for (let place = 0; place < runners.length; place++) {
      // The start moves on from round to round, so that nobody always follows the same neighbour's heat.
      const runner = runners[(place + round) % runners.length];
      await runner?.run(round - DROPPED_ROUNDS);
    }
  }
  for (const { stop } of runners) stop();
  return new Map(runners.map(({ id, measurement }) => [id, measurement]));
}

/**
 * @param {number} counted
 * @param {Contestant} contestant
 * @param {string} workerFile
 */
async function start(counted, { id, task, rounds = counted }, workerFile) {
  const child = fork(workerFile);
  /**
   * @param {import("./rounds.mjs").Request} request
   * @returns {Promise<import("./rounds.mjs").Answer>}
   */
  const ask = (request) =>
    new Promise((resolve) => {
      const onExit = (/** @type {number | null} */ code) =>
        resolve({ type: "failed", message: `the process ended with ${code}` });
      child.once("exit", onExit);
      child.once("message", (/** @type {import("./rounds.mjs").Answer} */ answer) => {
        child.off("exit", onExit);
        resolve(answer);
      });
      child.send(request);
    });
  /** @type {number[]} */
  const samples = [];
  /** @type {Measurement} */
  const measurement = { samples };
  const prepared = await ask({ type: "prepare", task });
  if (prepared.type === "failed") measurement.error = prepared.message;

  return {
    id,
    measurement,
    /** @param {number} round Negative for rounds that are not counted. */
    async run(round) {
      if (measurement.error !== undefined || round >= rounds || (rounds < counted && round < 0)) return;
      const answer = await ask({ type: "round" });
      if (answer.type === "failed") measurement.error = answer.message;
      else if (answer.type === "sample" && round >= 0) samples.push(answer.nanoseconds);
    },
    stop: () => void child.kill(),
  };
}
