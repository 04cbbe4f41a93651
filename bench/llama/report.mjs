// @ts-check
import { summarize } from "../statistics.mjs";
import { STEP_TOKENS } from "./stops.mjs";

/** After how many starts and stops the memory is shown. The file has more. */
const SHOWN_CYCLES = new Set([0, 100, 500, 1000, 2000, 3000]);

/**
 * Speed as people talk about it, and what it takes of the processor. Medians.
 *
 * @typedef {object} Speed
 * @property {number} tokensPerSecond
 * @property {number} processorMicrosecondsPerToken
 */

/**
 * @param {import("./speed.mjs").SpeedFigures} figures
 * @returns {Readonly<Record<string, Speed>>} By id.
 */
export function summarizeSpeed(figures) {
  /** @type {Record<string, Speed>} */
  const speeds = {};
  for (const [id, { nanoseconds, processorMicroseconds }] of Object.entries(figures)) {
    speeds[id] = {
      tokensPerSecond: Math.round(1e12 / summarize(nanoseconds).median),
      processorMicrosecondsPerToken: Math.round(summarize(processorMicroseconds).median),
    };
  }
  return speeds;
}

/**
 * The figures that no round gives.
 *
 * @param {import("./verdicts.mjs").OtherFigures} figures
 * @param {Readonly<Record<string, Speed>>} speeds
 * @returns {string}
 */
export function formatOthers({ answers, batches, stops, memory, responsiveness }, speeds) {
  const { idle, busy } = responsiveness;
  return [
    "Tokens per second, and processor time of a token over all threads (medians)",
    ...Object.entries(speeds).map(
      ([id, { tokensPerSecond, processorMicrosecondsPerToken }]) =>
        `  ${id.padEnd(20)}${String(tokensPerSecond).padStart(8)}${String(processorMicrosecondsPerToken).padStart(8)} µs`,
    ),
    "",
    "Wrong answers of 8 generations together",
    `  engine ${answers.wrongOfEngine}, bare loops ${answers.wrongOfBareLoops} of ${answers.answers}`,
    "",
    "Runs through the model for 8 answers together",
    `  engine ${batches.engine}, bare loops ${batches.bareLoops}, at best ${batches.best}`,
    "",
    "From a stop until the next in the queue has the place",
    formatStops("answer, alone", "tokens", stops.alone),
    formatStops("answer, 7 others running", "tokens", stops.amongOthers),
    formatStops("prompt of 3,000 tokens", `steps of ${STEP_TOKENS} tokens`, stops.inPrompt),
    "",
    "Memory of the process after starts and stops",
    ...memory.samples.filter(({ cycles }) => SHOWN_CYCLES.has(cycles)).map(formatSample),
    "",
    "By how much a timer is late",
    `  idle: p50 ${inMilliseconds(idle.p50)}, p99 ${inMilliseconds(idle.p99)}, most ${inMilliseconds(idle.max)}`,
    `  8 generating: p50 ${inMilliseconds(busy.p50)}, p99 ${inMilliseconds(busy.p99)}, most ${inMilliseconds(busy.max)}`,
    "",
  ].join("\n");
}

/**
 * @param {string} label
 * @param {string} unitName
 * @param {import("./stops.mjs").StopFigures} figures
 * @returns {string}
 */
function formatStops(label, unitName, { unit, units, milliseconds, gaps, finish, batches }) {
  const both = (/** @type {"p50" | "p99" | "max"} */ which) =>
    `${units[which].toFixed(2)} (${inMilliseconds(milliseconds[which])})`;
  const inUnits = (/** @type {number} */ time) => (time / unit).toFixed(2);
  return [
    `  ${label}, in ${unitName} of ${inMilliseconds(unit)}: p50 ${both("p50")}, p99 ${both("p99")}, most ${both("max")}`,
    ...(gaps.samples === 0
      ? []
      : [`    between tokens without a stop: p99 ${inUnits(gaps.p99)}, most ${inUnits(gaps.max)}`]),
    `    batches begun after the stop: p99 ${batches.p99}, most ${batches.max}; finish: p99 ${inMilliseconds(finish.p99)}`,
  ].join("\n");
}

/**
 * @param {import("./memory.mjs").MemorySample} sample
 * @returns {string}
 */
function formatSample({ cycles, resident, heap }) {
  return `  ${String(cycles).padStart(5)}: ${resident.toFixed(1)} MB, of which JavaScript ${heap.toFixed(1)} MB`;
}

/**
 * @param {number} milliseconds
 * @returns {string}
 */
function inMilliseconds(milliseconds) {
  return `${milliseconds.toFixed(2)} ms`;
}
