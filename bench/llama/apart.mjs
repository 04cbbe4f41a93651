// @ts-check
import { fork } from "node:child_process";

/**
 * Runs a measurement in a process of its own, where nothing else allocates and the collector can be called. What the
 * program sends is its result.
 *
 * @template Figures
 * @param {string} program
 * @returns {Promise<Figures>}
 */
export function runApart(program) {
  const child = fork(program, { execArgv: ["--expose-gc"] });
  return new Promise((resolve, reject) => {
    child.once("message", (/** @type {Figures} */ figures) => resolve(figures));
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code}`)));
  });
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
