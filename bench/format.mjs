// @ts-check

/**
 * What the figures were measured on, and what else it had to do.
 *
 * @param {ReturnType<typeof import("./results.mjs").describeMachine>} machine
 * @param {readonly number[]} load
 * @returns {string}
 */
export function formatMachine({ processor, cores, node }, load) {
  return `${processor}, ${cores} cores, Node ${node}, load averages ${formatLoad(load)}`;
}

/**
 * The load averages of the last one, five and fifteen minutes.
 *
 * @param {readonly number[]} load
 * @returns {string}
 */
export function formatLoad(load) {
  return load.map((average) => average.toFixed(1)).join(", ");
}

/**
 * A time as people say it.
 *
 * @param {number} nanoseconds
 * @returns {string}
 */
export function formatTime(nanoseconds) {
  if (nanoseconds >= 1e6) return `${(nanoseconds / 1e6).toFixed(nanoseconds < 1e8 ? 1 : 0)} ms`;
  if (nanoseconds >= 1e4) return `${(nanoseconds / 1e3).toFixed(1)} µs`;
  return `${nanoseconds.toFixed(nanoseconds < 100 ? 1 : 0)} ns`;
}

/**
 * How many times something is something else.
 *
 * @param {number} factor
 * @returns {string}
 */
export function formatFactor(factor) {
  return factor.toFixed(factor < 10 ? 2 : 0);
}
