// @ts-check
import { measure } from "mitata";

/**
 * What a process is to measure.
 *
 * @template Result
 * @typedef {object} Work
 * @property {() => Result | Promise<Result>} pass Starts afresh and goes through everything once.
 * @property {(result: Result) => void} check Throws if a pass did not do what it should, so that nobody is fast by that.
 * @property {number} items How many items a pass has; a sample is the time of one.
 * @property {boolean} [isCold] True for work that is done once in a program: it is neither warmed up nor repeated.
 */

/**
 * @typedef {{type: "prepare", task: unknown} | {type: "round"}} Request
 *
 * @typedef {{type: "ready"}} Ready
 * @typedef {{type: "sample", nanoseconds: number}} Sample
 * @typedef {Ready | Sample | {type: "failed", message: string}} Answer
 */

/** Long enough for the optimizing compiler to have finished with everything that a pass runs through. */
const WARM_UP_MILLISECONDS = 400;
/**
 * A round is long enough that starting it does not matter, and short enough that a disturbance spoils one sample only.
 * Short passes are timed 64 at a time and not, as mitata would have it, 4096: a round would hold too few of those for
 * mitata to leave the slowest out.
 *
 * Garbage is left as it lies: a forced collection throws optimized code away with it, and the round would then measure
 * the compiler (fullstop and its peers alike come out three to ten times slower).
 */
const ROUND = { gc: false, min_samples: 1, min_cpu_time: 25e6, batch_samples: 64 };

/**
 * Serves rounds to the process that has started this one: see interleave.mjs for why each subject has a process of
 * its own.
 *
 * @template Task, Result
 * @param {(task: Task) => Promise<Work<Result>>} prepare
 */
export function serveRounds(prepare) {
  /** @type {(() => Promise<number>) | undefined} */
  let runRound;

  /**
   * @param {Request} request
   * @returns {Promise<Answer>}
   */
  async function answer(request) {
    if (request.type === "prepare") {
      const work = await prepare(/** @type {Task} */ (request.task));
      if (work.isCold !== true) await warmUp(work);
      runRound = () => (work.isCold === true ? timeOnce(work) : measureRound(work));
      return { type: "ready" };
    }
    if (runRound === undefined) throw new Error("round before prepare");
    return { type: "sample", nanoseconds: await runRound() };
  }

  process.on("message", (/** @type {Request} */ request) => {
    answer(request).then(
      (message) => process.send?.(message),
      (/** @type {unknown} */ error) => process.send?.({ type: "failed", message: String(error) }),
    );
  });
}

/**
 * Lets mitata time passes for as long as a round is. Of a round with many passes it leaves out the two fastest and the
 * two slowest.
 *
 * @template Result
 * @param {Work<Result>} work
 * @returns {Promise<number>} Nanoseconds per item.
 */
async function measureRound({ pass, items }) {
  // A copy, because mitata writes into it.
  const { avg } = await measure(pass, { ...ROUND });
  return avg / items;
}

/**
 * By hand, because mitata never times the first call.
 *
 * @template Result
 * @param {Work<Result>} work
 * @returns {Promise<number>} Nanoseconds per item.
 */
async function timeOnce({ pass, items }) {
  const start = performance.now();
  await pass();
  return ((performance.now() - start) * 1e6) / items;
}

/**
 * @template Result
 * @param {Work<Result>} work
 * @returns {Promise<void>}
 */
async function warmUp({ pass, check }) {
  const began = performance.now();
  for (let done = 0; done < 3 || performance.now() - began < WARM_UP_MILLISECONDS; done++) check(await pass());
}
