// @ts-check
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createRandom } from "../random.mjs";
import { readOrder, runApart, sendFigures } from "../apart.mjs";
import { startCountingLlama } from "./counting.mjs";
import { follow } from "./follow.mjs";
import { PLACES, ask, openEngine, readAnswer } from "./model.mjs";
import { spreadOf } from "../statistics.mjs";

/**
 * How soon a stopped generation has given its place back. All places are taken, and it is over when the next request
 * in the queue has the place. That is waited for and not asked for again and again, because on a small machine whoever
 * keeps asking takes the time from the model.
 *
 * @typedef {object} StopFigures
 * @property {number} unit Milliseconds of a token, or of a step of the prompt; the median.
 * @property {import("../statistics.mjs").Spread} units From the stop until somebody else has the place, in units: tokens of
 * the same generation, or steps.
 * @property {import("../statistics.mjs").Spread} milliseconds The same.
 * @property {import("../statistics.mjs").Spread} gaps Milliseconds between tokens of generations that nobody has stopped
 * yet: how long the model itself keeps people waiting on this machine at this time.
 * @property {import("../statistics.mjs").Spread} finish Milliseconds until the reader had the finish.
 * @property {import("../statistics.mjs").Spread} batches How often the model was run through in the meantime; a run that
 * was under way at the stop does not count.
 */

/**
 * @typedef {object} AllStopFigures
 * @property {StopFigures} alone In the middle of an answer.
 * @property {StopFigures} amongOthers The same with seven others.
 * @property {StopFigures} inPrompt In the middle of a long prompt.
 */

/**
 * @typedef {object} Stop
 * @property {number} unit
 * @property {readonly number[]} gaps
 * @property {number} free
 * @property {number} finish
 * @property {number} batches
 */

/**
 * @typedef {object} Stage
 * @property {import("fullstop/llama").LlamaEngine} engine
 * @property {() => number} batches
 */

/** How many generations are stopped while they answer, and while they read their prompt. */
const SIZES = { long: { answers: 200, prompts: 30 }, short: { answers: 60, prompts: 6 } };
/** A token takes the longer the more there is before it, so that the others have to begin again now and then. */
const STOPS_IN_A_ROW = 10;
const PROMPT_TOKENS = 3000;
/** The engine reads a prompt in steps of so many tokens. */
export const STEP_TOKENS = 128;

const random = createRandom(7);

const PROGRAM = fileURLToPath(import.meta.url);

/**
 * @param {import("../parts.mjs").Sampling} sampling
 * @returns {Promise<AllStopFigures>}
 */
export function measureStops(sampling) {
  return runApart(PROGRAM, { order: SIZES[sampling] });
}

/**
 * Stops one generation after the other, each of which has waited for the place of the one before.
 *
 * @param {Stage} stage
 * @param {number} count
 * @param {() => import("fullstop/llama").LlamaRequest} invent
 * @param {(current: import("./follow.mjs").Followed) => Promise<number>} waitAndWeigh Waits for the moment to stop and
 * says what the unit is.
 * @returns {Promise<readonly Stop[]>}
 */
async function stopInTurn({ engine, batches }, count, invent, waitAndWeigh) {
  const begin = () => follow(engine, invent(), 5 + Math.floor(random() * 26));
  const stops = [];
  let current = begin();
  for (let done = 0; done < count; done++) {
    await current.started;
    const next = begin();
    const unit = await waitAndWeigh(current);
    while (engine.status().waiting === 0) await sleep(1);
    const before = batches();
    const stopped = performance.now();
    current.stop();
    const freed = await next.started;
    const after = batches();
    const finished = await current.ended;
    stops.push({
      unit,
      gaps: current.gaps,
      free: freed - stopped,
      finish: finished - stopped,
      batches: after - before,
    });
    current = next;
  }
  current.stop();
  await current.ended;
  return stops;
}

/** @returns {import("fullstop/llama").LlamaRequest} */
function askForever() {
  return ask("Say hello forever", 1000);
}

/**
 * @param {Stage} stage
 * @param {number} others How many other generations run.
 * @param {number} count
 * @returns {Promise<StopFigures>}
 */
async function stopAnswers(stage, others, count) {
  const stops = [];
  while (stops.length < count) {
    const running = Array.from({ length: others }, () => follow(stage.engine, askForever(), 1));
    await Promise.all(running.map(({ reached }) => reached));
    const found = await stopInTurn(stage, STOPS_IN_A_ROW, askForever, async ({ reached, gaps }) => {
      await reached;
      // At any moment within the time of a token, because somebody who stops does not wait for one.
      await sleep(1 + random() * 4);
      return spreadOf(gaps).p50;
    });
    stops.push(...found);
    for (const { stop } of running) stop();
    await Promise.all(running.map(({ ended }) => ended));
  }
  return describe(stops);
}

/**
 * @param {Stage} stage
 * @param {number} count
 * @returns {Promise<StopFigures>}
 */
async function stopPrompts(stage, count) {
  const { tokens: tokensOfHundred } = await readPrompt(stage.engine, inventWords(100));
  const words = Math.round((PROMPT_TOKENS / tokensOfHundred) * 100);
  const whole = [];
  for (let done = 0; done < 5; done++) whole.push(await readPrompt(stage.engine, inventWords(words)));
  const milliseconds = spreadOf(whole.map((prompt) => prompt.milliseconds)).p50;
  const step = (milliseconds * STEP_TOKENS) / spreadOf(whole.map(({ tokens }) => tokens)).p50;
  const stops = await stopInTurn(
    stage,
    count,
    () => ask(inventWords(words), 1),
    async () => {
      await sleep((0.05 + 0.75 * random()) * milliseconds);
      return step;
    },
  );
  return describe(stops);
}

/**
 * @param {import("fullstop/llama").LlamaEngine} engine
 * @param {string} text
 */
async function readPrompt(engine, text) {
  let [began, ended, tokens] = [Number.NaN, Number.NaN, 0];
  for await (const event of engine.generate(ask(text, 1), new AbortController().signal)) {
    if (event.type === "start") began = performance.now();
    if (event.type === "text") ended = performance.now();
    if (event.type === "usage") tokens = event.usage.inputTokens ?? 0;
  }
  return { tokens, milliseconds: ended - began };
}

/**
 * A text that no sequence has read before.
 *
 * @param {number} count
 * @returns {string}
 */
function inventWords(count) {
  return Array.from({ length: count }, () => `${pickLetter()}${pickLetter()}${pickLetter()}`).join(" ");
}

/** @returns {string} */
function pickLetter() {
  return String.fromCodePoint(0x61 + Math.floor(random() * 26));
}

/**
 * @param {readonly Stop[]} stops
 * @returns {StopFigures}
 */
function describe(stops) {
  return {
    unit: spreadOf(stops.map(({ unit }) => unit)).p50,
    units: spreadOf(stops.map(({ free, unit }) => free / unit)),
    milliseconds: spreadOf(stops.map(({ free }) => free)),
    gaps: spreadOf(stops.flatMap(({ gaps }) => gaps)),
    finish: spreadOf(stops.map(({ finish }) => finish)),
    batches: spreadOf(stops.map(({ batches }) => batches)),
  };
}

/** @type {(typeof SIZES)["long"] | undefined} */
const order = readOrder(PROGRAM);
if (order !== undefined) {
  const { llama, batches } = await startCountingLlama();
  const one = { engine: await openEngine({ llama, places: 1 }), batches };
  const all = { engine: await openEngine({ llama }), batches };
  await readAnswer(one.engine, ask("Say hello forever", 500));
  /** @type {AllStopFigures} */
  const figures = {
    alone: await stopAnswers(one, 0, order.answers),
    amongOthers: await stopAnswers(all, PLACES - 1, order.answers),
    inPrompt: await stopPrompts(one, order.prompts),
  };
  sendFigures(figures);
  await one.engine.dispose();
  await all.engine.dispose();
  await llama.dispose();
}
