// @ts-check
import { fileURLToPath } from "node:url";
import { readOrder, runApart, sendFigures } from "../apart.mjs";
import { ANSWER_TOKENS, checkAnswers, countTogether, openBareLoops, openEngine, startLlama } from "./model.mjs";
import { SECTIONS } from "./catalogue.mjs";

/**
 * Why all subjects share a process, other than in the other benchmarks: where a model comes to lie in memory makes a
 * tenth of its speed, and it stays there for as long as the process lives. That is more than what is to be measured
 * here, so the subjects take turns in one process, and the process is started anew a few times. How V8 compiles the
 * few JavaScript calls a token takes matters little beside the model.
 */

/**
 * What was found of one subject, by round.
 *
 * @typedef {object} SpeedSamples
 * @property {number[]} nanoseconds Of a thousand tokens, on the clock.
 * @property {number[]} processorMicroseconds Of a token, over all threads: others on the machine change it less.
 */

/**
 * What a subject is: so many generations together, by the engine under a set of rules or by bare loops.
 *
 * @typedef {object} Task
 * @property {number} together
 * @property {import("./model.mjs").RuleSet | "bare loop"} with
 */

/** @typedef {Readonly<Record<string, SpeedSamples>>} SpeedFigures By id. */

const SIZES = { long: { starts: 4, rounds: 6 }, short: { starts: 2, rounds: 3 } };
/** So many answers follow each other in a pass of one generation, to be as long as one of several together. */
const ANSWERS_IN_TURN = 3;

const PROGRAM = fileURLToPath(import.meta.url);

/**
 * @param {import("../parts.mjs").Surroundings} surroundings
 * @returns {Promise<SpeedFigures>}
 */
export async function measureSpeed({ sampling, showProgress }) {
  const { starts, rounds } = SIZES[sampling];
  /** @type {Record<string, SpeedSamples>} */
  const all = {};
  for (let start = 1; start <= starts; start++) {
    showProgress(`speed, start ${start} of ${starts}`);
    /** @type {SpeedFigures} */
    const found = await runApart(PROGRAM, { order: { rounds } });
    for (const [id, samples] of Object.entries(found)) {
      all[id] ??= { nanoseconds: [], processorMicroseconds: [] };
      all[id].nanoseconds.push(...samples.nanoseconds);
      all[id].processorMicroseconds.push(...samples.processorMicroseconds);
    }
  }
  return all;
}

/**
 * @param {import("fullstop/llama").LlamaEngine} engine
 * @param {Awaited<ReturnType<typeof openBareLoops>>} loops
 * @param {Task} task
 */
async function generate(engine, loops, { together, with: subject }) {
  const inTurn = together === 1 ? ANSWERS_IN_TURN : 1;
  for (let answer = 0; answer < inTurn; answer++) {
    if (subject === "bare loop") await loops.run(together);
    // Checked every time, because nobody may be fast by saying less.
    else checkAnswers(await countTogether(engine, subject, together));
  }
  return inTurn * together * ANSWER_TOKENS;
}

/** @type {{rounds: number} | undefined} */
const order = readOrder(PROGRAM);
if (order !== undefined) {
  const llama = await startLlama();
  const engine = await openEngine({ llama });
  const loops = await openBareLoops(llama);
  checkAnswers(await loops.read(1));
  const entries = SECTIONS.flatMap((section) => section.entries);
  /** @type {Record<string, SpeedSamples>} */
  const figures = {};
  for (const { id } of entries) figures[id] = { nanoseconds: [], processorMicroseconds: [] };
  for (let round = -1; round < order.rounds; round++) {
    for (let place = 0; place < entries.length; place++) {
      // The start moves on from round to round, so that nobody always follows the same neighbour.
      const entry = entries[(place + round + 1) % entries.length];
      if (entry === undefined) continue;
      const processor = process.cpuUsage();
      const began = performance.now();
      const tokens = await generate(engine, loops, entry.task);
      const milliseconds = performance.now() - began;
      const { user, system } = process.cpuUsage(processor);
      if (round < 0) continue;
      figures[entry.id]?.nanoseconds.push((milliseconds * 1e9) / tokens);
      figures[entry.id]?.processorMicroseconds.push((user + system) / tokens);
    }
  }
  sendFigures(figures);
  await engine.dispose();
  await llama.dispose();
}
