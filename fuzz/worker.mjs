// @ts-check
import { parentPort, workerData } from "node:worker_threads";
import { Coverage } from "./coverage.mjs";
import { createRandom } from "./random.mjs";
import { Session } from "./session.mjs";

/**
 * What a worker is told, and where it writes down which input it is at, so that one that never comes back is known.
 *
 * @typedef {object} Assignment
 * @property {string} group
 * @property {string} target
 * @property {number} seconds
 * @property {number} seed
 * @property {SharedArrayBuffer} place Three numbers (how many inputs, how long the present one is, and 1 once it is to
 *   end before its time) and the bytes of the present input.
 */

const { group, target: name, seconds, seed, place } = /** @type {Assignment} */ (workerData);
const counters = new Int32Array(place, 0, 3);
const bytes = new Uint8Array(place, counters.byteLength);

const coverage = new Coverage();
coverage.start();
// After the counting has begun, so that every function is known, also those that never run.
const { GROUPS } = await import("./targets/index.mjs");
const targets = (await GROUPS[group]?.()) ?? [];
const target = targets.find((each) => each.name === name);
if (target === undefined) throw new Error(`No target is called ${name}`);
coverage.take("ask");

const session = new Session(target, coverage, createRandom(seed), (input) => {
  bytes.set(input.subarray(0, bytes.length));
  counters[1] = input.length;
  Atomics.add(counters, 0, 1);
});
parentPort?.postMessage(await session.run(seconds, () => Atomics.load(counters, 2) === 1));
