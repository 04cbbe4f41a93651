import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { writeEvidence } from "./evidence.ts";
import { tryMutations } from "./mutations/try-mutations.ts";
import { LONG_RUN, formatFindings, isPassed, writeFindings } from "./report.ts";
import { torture } from "./torture.ts";

/*
 * `npm run torture` runs 10,000 random generations through two gateways under random faults, and holds each against
 * the guarantees. `-- --seed 123` does again what a seed stands for, `-- --count 500` less of it, `-- --mutations`
 * shows that the checker sees mistakes.
 */

const AT_ONCE = 40;
const MOST_SEED = 1_000_000;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    first: { type: "string" },
    count: { type: "string" },
    "at-once": { type: "string" },
    mutations: { type: "boolean" },
  },
});

if (values.mutations === true) {
  const survivors = await tryMutations((line) => console.log(line));
  process.exitCode = survivors === 0 ? 0 : 1;
} else {
  const options = {
    seed: read("seed", values.seed, randomInt(MOST_SEED)),
    first: read("first", values.first, 0),
    count: read("count", values.count, LONG_RUN),
    atOnce: read("at-once", values["at-once"], AT_ONCE),
  };
  console.log(`seed ${options.seed}: ${options.count} generations, ${options.atOnce} at once`);
  const findings = await torture({ ...options, showProgress, onViolation: writeEvidence });
  showProgress("");
  console.log(formatFindings(findings));
  if (options.count >= LONG_RUN) console.log(`written to ${writeFindings(findings)}`);
  process.exitCode = isPassed(findings) ? 0 : 1;
}

function read(name: string, given: string | undefined, usual: number): number {
  if (given === undefined) return usual;
  const value = Number(given);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`--${name} must be a whole number of at least 0, got ${JSON.stringify(given)}`);
}

/** Says what is going on, in place, to whoever watches; a log file is spared. */
function showProgress(progress: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${progress}`);
}
