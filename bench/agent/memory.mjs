// @ts-check
import { fileURLToPath } from "node:url";
import { INTERPRETED, readOrder, runApart, sendFigures, usedBytes } from "../apart.mjs";
import { summarize } from "../statistics.mjs";
import { TURNS } from "./catalogue.mjs";
import { checkRun, runLong } from "./long-run.mjs";

/**
 * What a run of so many turns leaves on the heap: its history, signals, decisions and calls, all of which are in its
 * result. The median of some rounds.
 *
 * @typedef {{turns: number, bytesPerTurn: number}} HeldByRun
 */

const ROUNDS = 5;

const PROGRAM = fileURLToPath(import.meta.url);

/** @returns {Promise<readonly HeldByRun[]>} */
export function measureMemory() {
  return runApart(PROGRAM, { flags: INTERPRETED });
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
  return [...samples].map(([turns, bytes]) => ({ turns, bytesPerTurn: summarize(bytes).median / turns }));
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

if (readOrder(PROGRAM) !== undefined) sendFigures(await hold());
