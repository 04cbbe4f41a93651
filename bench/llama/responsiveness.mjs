// @ts-check
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readOrder, runApart, sendFigures } from "../apart.mjs";
import { countTogether, openEngine } from "./model.mjs";

/**
 * By how many milliseconds a timer is late: how long everything else in the program waits.
 *
 * @typedef {object} Delay
 * @property {number} p50
 * @property {number} p99
 * @property {number} max
 */

/**
 * @typedef {object} ResponsivenessFigures
 * @property {Delay} idle With the model in memory and nothing to do: what the machine itself adds.
 * @property {Delay} busy While all places generate.
 */

const IDLE_MILLISECONDS = 3000;
const PASSES = 4;
/** How often the delay is looked at, in milliseconds; the monitor counts it in. */
const INTERVAL = 1;

const PROGRAM = fileURLToPath(import.meta.url);

/** @returns {Promise<ResponsivenessFigures>} */
export function measureResponsiveness() {
  return runApart(PROGRAM);
}

/**
 * @param {() => Promise<unknown>} work
 * @returns {Promise<Delay>}
 */
async function watch(work) {
  const monitor = monitorEventLoopDelay({ resolution: INTERVAL });
  monitor.enable();
  await work();
  monitor.disable();
  const late = (/** @type {number} */ nanoseconds) => Math.max(0, nanoseconds / 1e6 - INTERVAL);
  return { p50: late(monitor.percentile(50)), p99: late(monitor.percentile(99)), max: late(monitor.max) };
}

if (readOrder(PROGRAM) !== undefined) {
  const engine = await openEngine();
  await countTogether(engine, "every rule");
  const idle = await watch(() => sleep(IDLE_MILLISECONDS));
  const busy = await watch(async () => {
    for (let pass = 0; pass < PASSES; pass++) await countTogether(engine, "every rule");
  });
  await engine.dispose();
  sendFigures({ idle, busy });
}
