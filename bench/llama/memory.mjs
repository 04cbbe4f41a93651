// @ts-check
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createRandom } from "../random.mjs";
import { collectGarbage, readOrder, runApart, sendFigures } from "../apart.mjs";
import { PLACES, ask, openEngine } from "./model.mjs";

/**
 * What the process holds, in megabytes, after so many generations that were started and stopped.
 *
 * @typedef {object} MemorySample
 * @property {number} cycles
 * @property {number} resident Everything, llama.cpp's part included.
 * @property {number} heap The part of JavaScript.
 */

/**
 * @typedef {object} MemoryFigures
 * @property {readonly MemorySample[]} samples
 * @property {readonly Growth[]} growth
 */

/**
 * How fast what the process holds grows from one cycle to another, by the straight line through the samples between.
 *
 * @typedef {object} Growth
 * @property {number} from
 * @property {number} to
 * @property {number} bytesPerCycle
 */

/**
 * Compiled code and the allocator's stock of each thread settle within the first few hundred cycles. Only what still
 * grows afterwards is a leak, so both are told.
 */
const SPANS = {
  long: [
    { from: 100, to: 500 },
    { from: 1000, to: 3000 },
  ],
  short: [{ from: 300, to: 900 }],
};
const SAMPLE_EVERY = 100;

const PROGRAM = fileURLToPath(import.meta.url);

/** @typedef {import("../parts.mjs").Sampling} Sampling */

/**
 * @param {Sampling} sampling
 * @returns {Promise<MemoryFigures>}
 */
export function measureMemory(sampling) {
  return runApart(PROGRAM, { order: { sampling } });
}

/**
 * @param {import("fullstop/llama").LlamaEngine} engine
 * @param {Sampling} sampling
 * @returns {Promise<MemoryFigures>}
 */
async function startAndStopOften(engine, sampling) {
  const spans = SPANS[sampling];
  const most = Math.max(...spans.map(({ to }) => to));
  const random = createRandom(11);
  const samples = [sample(0)];
  for (let cycles = 1; cycles <= most; cycles++) {
    await startAndStop(engine, 1 + Math.floor(random() * 10));
    if (cycles % SAMPLE_EVERY === 0) samples.push(sample(cycles));
  }
  const growth = spans.map(({ from, to }) => {
    const within = samples.filter(({ cycles }) => cycles >= from && cycles <= to);
    return { from, to, bytesPerCycle: slopeOf(within) * 2 ** 20 };
  });
  return { samples, growth };
}

/**
 * @param {import("fullstop/llama").LlamaEngine} engine
 * @param {number} last The token at which to stop.
 */
async function startAndStop(engine, last) {
  const controller = new AbortController();
  let tokens = 0;
  for await (const event of engine.generate(ask("Say hello forever", 1000, "every rule"), controller.signal)) {
    if (event.type === "text") tokens += 1;
    if (tokens === last) controller.abort();
  }
  while (engine.status().free < PLACES) await nextTurn();
}

/**
 * @param {number} cycles
 * @returns {MemorySample}
 */
function sample(cycles) {
  collectGarbage();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { cycles, resident: rss / 2 ** 20, heap: (heapUsed + external) / 2 ** 20 };
}

/**
 * The slope of the line that fits best, in megabytes a cycle.
 *
 * @param {readonly MemorySample[]} samples
 * @returns {number}
 */
function slopeOf(samples) {
  const mean = (/** @type {(sample: MemorySample) => number} */ of) =>
    samples.reduce((total, one) => total + of(one), 0) / samples.length;
  const cycles = mean((one) => one.cycles);
  const resident = mean((one) => one.resident);
  return mean((one) => (one.cycles - cycles) * (one.resident - resident)) / mean((one) => (one.cycles - cycles) ** 2);
}

/** @type {{sampling: Sampling} | undefined} */
const order = readOrder(PROGRAM);
if (order !== undefined) {
  const engine = await openEngine();
  const figures = await startAndStopOften(engine, order.sampling);
  await engine.dispose();
  sendFigures(figures);
}
