// @ts-check
import { fileURLToPath } from "node:url";
import { runApart, sendFigures } from "./apart.mjs";
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

/** @returns {Promise<BatchFigures>} */
export function countBatches() {
  return runApart(fileURLToPath(import.meta.url));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
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
