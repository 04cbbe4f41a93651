// @ts-check
import { fileURLToPath } from "node:url";
import { readOrder, runApart, sendFigures } from "../apart.mjs";
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

const ROUNDS = { long: 10, short: 2 };

const PROGRAM = fileURLToPath(import.meta.url);

/**
 * @param {import("../parts.mjs").Sampling} sampling
 * @returns {Promise<AnswerFigures>}
 */
export function countWrongAnswers(sampling) {
  return runApart(PROGRAM, { order: { rounds: ROUNDS[sampling] } });
}

/**
 * @param {readonly import("./model.mjs").Answer[]} answers
 * @returns {number}
 */
function countWrong(answers) {
  return answers.filter((answer, place) => !isRight(answer, place)).length;
}

/** @type {{rounds: number} | undefined} */
const order = readOrder(PROGRAM);
if (order !== undefined) {
  const llama = await startLlama();
  const engine = await openEngine({ llama });
  const loops = await openBareLoops(llama);
  const figures = { answers: order.rounds * PLACES, wrongOfEngine: 0, wrongOfBareLoops: 0 };
  for (let round = 0; round < order.rounds; round++) {
    figures.wrongOfEngine += countWrong(await countTogether(engine, "every rule"));
    figures.wrongOfBareLoops += countWrong(await loops.read(PLACES));
  }
  sendFigures(figures);
  await engine.dispose();
  await llama.dispose();
}
