// @ts-check

/**
 * The time in milliseconds, finer than the clock on the wall, and the same in every process of this machine.
 *
 * @returns {number}
 */
export function now() {
  return performance.timeOrigin + performance.now();
}
