// @ts-check

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
 * @typedef {{type: "ready", passes: number}} Ready
 * @typedef {{type: "sample", nanoseconds: number}} Sample
 * @typedef {Ready | Sample | {type: "failed", message: string}} Answer
 */

/** Long enough for the optimizing compiler to have finished with everything that a pass runs through. */
const WARM_UP_MILLISECONDS = 400;
/** Long enough that starting a round does not matter, short enough that a disturbance spoils one sample only. */
const ROUND_MILLISECONDS = 25;

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
      const passes = work.isCold === true ? 1 : await warmUp(work);
      runRound = () => measureRound(work, passes);
      return { type: "ready", passes };
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
 * @template Result
 * @param {Work<Result>} work
 * @param {number} passes
 * @returns {Promise<number>} Nanoseconds per item.
 */
async function measureRound({ pass, items }, passes) {
  // Garbage is left as it lies: a forced collection throws optimized code away with it, and the round would then
  // measure the compiler (fullstop and its peers alike come out three to ten times slower).
  const start = performance.now();
  for (let index = 0; index < passes; index++) {
    const result = pass();
    // Only a pass that is asynchronous is waited for: a needless `await` would be measured too.
    if (result instanceof Promise) await result;
  }
  return ((performance.now() - start) * 1e6) / (passes * items);
}

/**
 * @template Result
 * @param {Work<Result>} work
 * @returns {Promise<number>} How many passes fill a round.
 */
async function warmUp({ pass, check }) {
  const began = performance.now();
  let shortest = Number.POSITIVE_INFINITY;
  for (let done = 0; done < 3 || performance.now() - began < WARM_UP_MILLISECONDS; done++) {
    const start = performance.now();
    const result = await pass();
    shortest = Math.min(shortest, performance.now() - start);
    check(result);
  }
  return Math.max(1, Math.ceil(ROUND_MILLISECONDS / shortest));
}
