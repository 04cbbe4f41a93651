// @ts-check
import { fork } from "node:child_process";

/**
 * Runs a measurement in a process of its own, where nothing else allocates and the collector can be called. What the
 * program sends is its result.
 *
 * @template Figures
 * @param {string} program
 * @param {object} [settings]
 * @param {object} [settings.order] What the program is told: see {@link readOrder}.
 * @param {readonly string[]} [settings.flags] More flags of Node.
 * @returns {Promise<Figures>}
 */
export function runApart(program, { order = {}, flags = [] } = {}) {
  const child = fork(program, [JSON.stringify(order)], { execArgv: ["--expose-gc", ...flags] });
  return new Promise((resolve, reject) => {
    child.once("message", (/** @type {Figures} */ figures) => resolve(figures));
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code}`)));
  });
}

/**
 * What such a program was told, in the program itself; undefined where it is only imported.
 *
 * @template Order
 * @param {string} program Its own path.
 * @returns {Order | undefined}
 */
export function readOrder(program) {
  if (process.argv[1] !== program) return undefined;
  return /** @type {Order} */ (JSON.parse(process.argv[2] ?? "{}"));
}

/**
 * Sends the result of such a program, and lets it end.
 *
 * @param {object} figures
 */
export function sendFigures(figures) {
  process.send?.(figures);
  process.disconnect?.();
}

/**
 * For measurements of what objects hold: interpreted only and nothing thrown away. Compiled code lives on the same
 * heap, comes and goes by the 100 kB, and would be counted as held. What is held is the same either way.
 */
export const INTERPRETED = ["--no-opt", "--no-sparkplug", "--no-flush-bytecode"];

/** Collects garbage. Twice: what the first collection finalizes is freed by the second. */
export function collectGarbage() {
  globalThis.gc?.();
  globalThis.gc?.();
}

/**
 * What JavaScript holds after collecting garbage, in bytes.
 *
 * @returns {number}
 */
export function usedBytes() {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
