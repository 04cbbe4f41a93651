// @ts-check
import { fileURLToPath } from "node:url";
import { runApart, sendFigures } from "./apart.mjs";
import { PLACES, countTogether, isRight, openBareLoops, openEngine, startLlama } from "./model.mjs";

/**
 * How many answers are not what the model says alone when all places generate together: whoever shares a batch must
 * not get somebody else's tokens.
 *
 * @typedef {object} AnswerFigures
 * @property {number} answers
 * @property {number} wrongOfEngine
 * @property {number} wrongOfBareLoops
 */

const ROUNDS = 10;

/** @returns {Promise<AnswerFigures>} */
export function countWrongAnswers() {
  return runApart(fileURLToPath(import.meta.url));
}

/**
 * @param {readonly import("./model.mjs").Answer[]} answers
 * @returns {number}
 */
function countWrong(answers) {
  return answers.filter((answer, place) => !isRight(answer, place)).length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const llama = await startLlama();
  const engine = await openEngine({ llama });
  const loops = await openBareLoops(llama);
  const figures = { answers: ROUNDS * PLACES, wrongOfEngine: 0, wrongOfBareLoops: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    figures.wrongOfEngine += countWrong(await countTogether(engine, "every rule"));
    figures.wrongOfBareLoops += countWrong(await loops.read(PLACES));
  }
  sendFigures(figures);
  await engine.dispose();
  await llama.dispose();
}
