// @ts-check
import { fileURLToPath } from "node:url";
import { readOrder, runApart, sendFigures } from "../apart.mjs";
import { startCountingLlama } from "./counting.mjs";
import { ANSWER_TOKENS, PLACES, countTogether, openBareLoops, openEngine } from "./model.mjs";

/**
 * How often the model was run through for the answers of all places together. At best once for each token of one
 * answer, because a batch holds a token of every generation.
 *
 * @typedef {object} BatchFigures
 * @property {number} best
 * @property {number} engine
 * @property {number} bareLoops
 */

const PROGRAM = fileURLToPath(import.meta.url);

/** @returns {Promise<BatchFigures>} */
export function countBatches() {
  return runApart(PROGRAM);
}

if (readOrder(PROGRAM) !== undefined) {
  const { llama, batches } = await startCountingLlama();
  const engine = await openEngine({ llama });
  const loops = await openBareLoops(llama);
  // A first time for the prompt, which is in memory afterwards.
  await countTogether(engine, "every rule");
  await loops.run(PLACES);
  const before = batches();
  await countTogether(engine, "every rule");
  const between = batches();
  await loops.run(PLACES);
  sendFigures({ best: ANSWER_TOKENS, engine: between - before, bareLoops: batches() - between });
  await engine.dispose();
  await llama.dispose();
}
