// @ts-check

/**
 * Fuzzes the parsers. Ctrl+C lets it end before its time and keeps what it has.
 *
 * Inputs are bytes that a small fuzzer of our own changes, led by the block coverage that V8 counts in any Node: an
 * input that runs new code, or that comes to a new kind of result, is kept and changed further. There is nothing to
 * install and nothing native, it works on the modules as they are, and what it keeps are plain files in corpus/ that
 * every test run goes through again. fast-check, which the tests use, makes values of a shape that is known; it has no
 * feedback from the code, and the point here is what nobody has thought of. Jazzer.js would do as much, with a native
 * library that has to be downloaded and a loader that rewrites every module.
 */
import { Worker } from "node:worker_threads";
import { readOptions } from "../scripts/read-options.mjs";
import { keepInput } from "./corpus.mjs";
import { enterRun, minutesOf } from "./ledger.mjs";
import { LARGEST_INPUT } from "./mutate.mjs";
import { loadTargets } from "./targets/index.mjs";

/** A worker that is found at the same input three times in a row will not come back. */
const LOOK_MILLISECONDS = 15_000;
const MOST_LOOKS = 3;
const MEMORY_MEGABYTES = 1024;

/** @typedef {import("./session.mjs").SessionReport} SessionReport */

const HELP = `npm run fuzz                       all parsers, two minutes of a processor each
npm run fuzz -- sse config         some of them
npm run fuzz -- --minutes 30       for longer
npm run fuzz -- --up-to 30         until each has had so long, with all runs that ledger.json knows of
npm run fuzz -- --seed 7           the same way again
npm run fuzz -- --jobs 4           more at a time than two`;

const { values, positionals } = readOptions(
  {
    options: {
      minutes: { type: "string", default: "2" },
      "up-to": { type: "string" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      jobs: { type: "string", default: "2" },
    },
    allowPositionals: true,
  },
  HELP,
);
const minutes = Number(values["up-to"] ?? values.minutes);
const seed = Number(values.seed);
const jobs = Number(values.jobs);
const isFillingUp = values["up-to"] !== undefined;
/** @type {Set<{ readonly callOff: () => void }>} */
const running = new Set();
const targets = await loadTargets();
const names = targets.map(({ target }) => target.name);
const stranger = positionals.find((name) => !names.includes(name));
if (stranger !== undefined) fail(`No parser is called ${JSON.stringify(stranger)}; there are ${names.join(", ")}`);
else if (!(minutes > 0))
  fail(`--minutes and --up-to must be numbers above 0, got ${JSON.stringify(values["up-to"] ?? values.minutes)}`);
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
  const waiting = asked
    .map((grouped) => ({ ...grouped, minutes: minutes - (isFillingUp ? minutesOf(grouped.target.name) : 0) }))
    .filter((each) => each.minutes > 0);
  const length = isFillingUp ? "to fill up to" : "for";
  console.log(`${waiting.length} parsers ${length} ${minutes} minutes each, ${jobs} at a time, seed ${seed}`);
  console.log(
    `${"".padEnd(28)}${"inputs".padStart(10)}${"code run by seeds".padStart(20)}${"at the end".padStart(12)}${"kept".padStart(6)}`,
  );
  process.once("SIGINT", () => {
    waiting.length = 0;
    for (const { callOff } of running) callOff();
  });
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const found = await fuzz(next);
      enterRun(found.target, {
        minutes: found.seconds / 60,
        inputs: found.runs,
        quietMinutes: found.quietSeconds / 60,
      });
      report(found);
    }
  };
  await Promise.all(Array.from({ length: jobs }, lane));
}

/**
 * @param {Grouped & { readonly minutes: number }} assignment
 * @returns {Promise<SessionReport>}
 */
function fuzz({ group, target: { name: target }, minutes: length }) {
  const place = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT + LARGEST_INPUT);
  const counters = new Int32Array(place, 0, 3);
  const worker = new Worker(new URL("./worker.mjs", import.meta.url), {
    workerData: { group, target, seconds: length * 60, seed, place },
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MEGABYTES },
  });
  return new Promise((resolve) => {
    let last = -1;
    let looks = 0;
    const watch = setInterval(() => {
      const now = Atomics.load(counters, 0);
      looks = now === last && now > 0 ? looks + 1 : 0;
      if (looks === MOST_LOOKS) giveUp("it never ends");
      last = now;
    }, LOOK_MILLISECONDS);
    const self = { callOff: () => void Atomics.store(counters, 2, 1) };
    running.add(self);
    const settle = (/** @type {SessionReport} */ found) => {
      running.delete(self);
      clearInterval(watch);
      void worker.terminate();
      resolve(found);
    };
    const giveUp = (/** @type {string} */ problem) => {
      const input = new Uint8Array(place, counters.byteLength, Math.min(LARGEST_INPUT, counters[1] ?? 0)).slice();
      const nothing = { covered: 0, total: 1 };
      settle({
        target,
        runs: counters[0] ?? 0,
        seconds: 0,
        quietSeconds: 0,
        kept: 0,
        findings: [{ problem, file: keepInput(target, input, "finding") }],
        fromSeeds: nothing,
        atTheEnd: nothing,
      });
    };
    worker.once("error", (error) => giveUp(String(error)));
    worker.once("message", settle);
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
