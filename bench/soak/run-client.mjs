// @ts-check
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Runs a client in a process of its own, and gives what it sends back.
 *
 * @template Outcome
 * @param {string} program
 * @param {object} order
 * @returns {Promise<Outcome>}
 */
export function runClient(program, order) {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), { execArgv: [] });
  child.send(order);
  return new Promise((resolve, reject) => {
    child.once("message", (/** @type {Outcome} */ outcome) => resolve(outcome));
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code}`)));
  });
}
