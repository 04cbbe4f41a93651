// @ts-check

/**
 * Fuzzes the parsers: `npm run fuzz` all of them, `npm run fuzz -- sse config` some. `--minutes 30` is how long each
 * is fuzzed (2 if it is not said), `--seed 7` which way it goes, `--jobs 2` how many at a time.
 *
 * Inputs are bytes that a small fuzzer of our own changes, led by the block coverage that V8 counts in any Node: an
 * input that runs new code, or that comes to a new kind of result, is kept and changed further. There is nothing to
 * install and nothing native, it works on the modules as they are, and what it keeps are plain files in corpus/ that
 * every test run goes through again. fast-check, which the tests use, makes values of a shape that is known; it has no
 * feedback from the code, and the point here is what nobody has thought of. Jazzer.js would do as much, with a native
 * library that has to be downloaded and a loader that rewrites every module.
 */
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { keepInput } from "./corpus.mjs";
import { LARGEST_INPUT } from "./mutate.mjs";
import { loadTargets } from "./targets/index.mjs";

/** A worker that is at one input for so long will not come back. */
const PATIENCE_MILLISECONDS = 30_000;
const MEMORY_MEGABYTES = 1024;

/** @typedef {import("./session.mjs").SessionReport} SessionReport */

const { values, positionals } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    jobs: { type: "string", default: "2" },
  },
  allowPositionals: true,
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
const jobs = Number(values.jobs);
const targets = await loadTargets();
const names = targets.map(({ target }) => target.name);
const stranger = positionals.find((name) => !names.includes(name));
if (stranger !== undefined) fail(`No parser is called ${JSON.stringify(stranger)}; there are ${names.join(", ")}`);
else if (!(minutes > 0)) fail(`--minutes must be a number above 0, got ${JSON.stringify(values.minutes)}`);
else if (!Number.isSafeInteger(seed)) fail(`--seed must be a whole number, got ${JSON.stringify(values.seed)}`);
else if (!(Number.isSafeInteger(jobs) && jobs > 0))
  fail(`--jobs must be a whole number above 0, got ${JSON.stringify(values.jobs)}`);
else await fuzzAll(targets.filter(({ target }) => positionals.length === 0 || positionals.includes(target.name)));

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}

/** @typedef {{ readonly group: string, readonly target: import("./oracle.mjs").Target }} Grouped */

/** @param {readonly Grouped[]} asked */
async function fuzzAll(asked) {
  const waiting = [...asked];
  console.log(`${asked.length} parsers, ${minutes} minutes each, ${jobs} at a time, seed ${seed}`);
  console.log(
    `${"".padEnd(28)}${"inputs".padStart(10)}${"code run by seeds".padStart(20)}${"at the end".padStart(12)}${"kept".padStart(6)}`,
  );
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) report(await fuzz(next));
  };
  await Promise.all(Array.from({ length: jobs }, lane));
}

/**
 * @param {Grouped} grouped
 * @returns {Promise<SessionReport>}
 */
function fuzz({ group, target: { name: target } }) {
  const place = new SharedArrayBuffer(8 + LARGEST_INPUT);
  const counters = new Int32Array(place, 0, 2);
  const worker = new Worker(new URL("./worker.mjs", import.meta.url), {
    workerData: { group, target, seconds: minutes * 60, seed, place },
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MEGABYTES },
  });
  return new Promise((resolve) => {
    let last = -1;
    const watch = setInterval(() => {
      const now = Atomics.load(counters, 0);
      if (now === last && now > 0) giveUp("it never ends");
      last = now;
    }, PATIENCE_MILLISECONDS);
    const giveUp = (/** @type {string} */ problem) => {
      clearInterval(watch);
      void worker.terminate();
      const input = new Uint8Array(place, 8, Math.min(LARGEST_INPUT, counters[1] ?? 0)).slice();
      const nothing = { covered: 0, total: 1 };
      const finding = { problem, file: keepInput(target, input, "finding") };
      resolve({ target, runs: counters[0] ?? 0, kept: 0, findings: [finding], fromSeeds: nothing, atTheEnd: nothing });
    };
    worker.once("error", (error) => giveUp(String(error)));
    worker.once("message", (/** @type {SessionReport} */ found) => {
      clearInterval(watch);
      void worker.terminate();
      resolve(found);
    });
  });
}

/** @param {SessionReport} found */
function report({ target, runs, kept, findings, fromSeeds, atTheEnd }) {
  const share = ({ covered, total } = atTheEnd) => `${((100 * covered) / Math.max(1, total)).toFixed(1)} %`;
  console.log(
    target.padEnd(28) +
      String(runs).padStart(10) +
      share(fromSeeds).padStart(20) +
      share(atTheEnd).padStart(12) +
      String(kept).padStart(6),
  );
  for (const { problem, file } of findings) {
    console.log(`  BROKEN: ${problem}\n          ${file}`);
    process.exitCode = 1;
  }
}
