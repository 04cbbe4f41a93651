// @ts-check
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { TURNS } from "./catalogue.mjs";
import { checkRun, runLong } from "./long-run.mjs";

/**
 * What a run of so many turns leaves on the heap: its history, signals, decisions and calls, all of which are in its
 * result. The median of some rounds.
 *
 * @typedef {{turns: number, bytesPerTurn: number}} HeldByRun
 */

const ROUNDS = 5;

/**
 * Interpreted only and nothing thrown away: compiled code lives on the same heap, comes and goes by the 100 kB, and
 * would be counted as held. What a run holds is the same either way.
 */
const FLAGS = ["--expose-gc", "--no-opt", "--no-sparkplug", "--no-flush-bytecode"];

/**
 * Runs the measurement in a process of its own, where nothing else allocates and the collector can be called.
 *
 * @returns {Promise<readonly HeldByRun[]>}
 */
export function measureMemory() {
  const child = fork(fileURLToPath(import.meta.url), ["measure"], { execArgv: FLAGS });
  return new Promise((resolve, reject) => {
    child.once("message", (/** @type {readonly HeldByRun[]} */ figures) => resolve(figures));
    child.once("exit", (code) => reject(new Error(`the process that measures memory ended with ${code}`)));
  });
}

/** @returns {Promise<readonly HeldByRun[]>} */
async function hold() {
  // A first run leaves behind what belongs to the code and not to a run.
  await runLong(TURNS[0] ?? 1);
  /** @type {Map<number, number[]>} */
  const samples = new Map(TURNS.map((turns) => [turns, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const turns of TURNS) samples.get(turns)?.push(await holdOne(turns));
  }
  return [...samples].map(([turns, bytes]) => ({ turns, bytesPerTurn: middleOf(bytes) / turns }));
}

/**
 * @param {number} turns
 * @returns {Promise<number>} Bytes.
 */
async function holdOne(turns) {
  const before = usedBytes();
  const result = await runLong(turns);
  const after = usedBytes();
  // Used once more, or the collector would have been free to take it before the last figure.
  checkRun(result, turns);
  return after - before;
}

/**
 * @param {readonly number[]} values
 * @returns {number}
 */
function middleOf(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** @returns {number} */
function usedBytes() {
  // Twice: what the first collection finalizes is freed by the second.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const [, script, argument] = process.argv;
if (script === fileURLToPath(import.meta.url) && argument === "measure") {
  process.send?.(await hold());
  process.disconnect?.();
}
