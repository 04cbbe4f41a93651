import { randomInt } from "node:crypto";
import { readOptions } from "../scripts/read-options.mjs";
import { writeEvidence } from "./evidence.ts";
import { tryMutations } from "./mutations/try-mutations.ts";
import { LONG_RUN, formatFindings, isPassed, writeFindings } from "./report.ts";
import { torture } from "./torture.ts";

const HELP = `npm run torture                      ${LONG_RUN.toLocaleString("en")} random generations through two gateways under random faults,
                                     each held against the guarantees
npm run torture -- --seed 123        does again what a seed stands for
npm run torture -- --count 500       less of it
npm run torture -- --first 8000      from another generation of the seed on
npm run torture -- --at-once 10      fewer at a time
npm run torture -- --mutations       shows that the checker sees mistakes`;

const AT_ONCE = 40;
const MOST_SEED = 1_000_000;

const { values } = readOptions(
  {
    options: {
      seed: { type: "string" },
      first: { type: "string" },
      count: { type: "string" },
      "at-once": { type: "string" },
      mutations: { type: "boolean" },
    },
  },
  HELP,
);

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
  console.error(`--${name} must be a whole number of at least 0, got ${JSON.stringify(given)}`);
  return process.exit(2);
}

/** Says what is going on, in place, to whoever watches; a log file is spared. */
function showProgress(progress: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${progress}`);
}
