// @ts-check

/**
 * A generation that is being read, with the moments that matter.
 *
 * @typedef {object} Followed
 * @property {Promise<number>} started When it had a place in the model.
 * @property {Promise<number>} reached When it had written as many tokens as were to be waited for.
 * @property {Promise<number>} ended When the reader had the finish.
 * @property {readonly number[]} gaps The milliseconds between its tokens.
 * @property {() => void} stop
 */

/**
 * Starts to read a generation.
 *
 * @param {import("fullstop/llama").LlamaEngine} engine
 * @param {import("fullstop/llama").LlamaRequest} request
 * @param {number} awaitedTokens
 * @returns {Followed}
 */
export function follow(engine, request, awaitedTokens) {
  const controller = new AbortController();
  /** @type {number[]} */
  const times = [];
  /** @type {number[]} */
  const gaps = [];
  const started = createMoment();
  const reached = createMoment();

  async function read() {
    for await (const event of engine.generate(request, controller.signal)) {
      const now = performance.now();
      if (event.type === "start") started.isNow(now);
      if (event.type !== "text") continue;
      if (times.length > 0) gaps.push(now - (times.at(-1) ?? now));
      times.push(now);
      if (times.length === awaitedTokens) reached.isNow(now);
    }
    return performance.now();
  }

  const stop = () => controller.abort();
  return { started: started.moment, reached: reached.moment, ended: read(), gaps, stop };
}

/** @returns {{moment: Promise<number>, isNow: (time: number) => void}} */
function createMoment() {
  /** @type {((time: number) => void) | undefined} */
  let resolve;
  const moment = new Promise((/** @type {(time: number) => void} */ settle) => {
    resolve = settle;
  });
  return { moment, isNow: (time) => resolve?.(time) };
}
