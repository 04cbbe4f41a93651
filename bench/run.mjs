// @ts-check

/**
 * The benchmarks. `npm run bench` runs the whole proof, shortly, within a quarter of an hour, and writes
 * docs/benchmarks.md; `npm run bench -- wire` runs one part at length; `npm run bench -- report` writes the page and
 * its plots anew from what is in results/. They report what they find; a promise that is missed is printed as missed.
 */
import { readOptions } from "../scripts/read-options.mjs";
import { runAccuracyBenchmark } from "./accuracy/benchmark.mjs";
import { checkPages, writePages } from "./pages/files.mjs";
import { PARTS, isPart } from "./parts.mjs";
import { writeWholeRun } from "./results.mjs";
import { runPart } from "./run-part.mjs";

const HELP = `npm run bench                    the whole proof, in a quarter of an hour
npm run bench -- <part> …        one part or several at length: ${Object.keys(PARTS).join(", ")}
npm run bench -- <part> --short  as much of it as in the whole run
npm run bench -- accuracy        who names which ending, on the same bytes; npm run docs tells of it
npm run bench -- report          docs/benchmarks.md and its plots, from what was measured last
npm run bench -- report --check  only says whether they are out of date`;

const { values, positionals } = readOptions(
  { allowPositionals: true, options: { short: { type: "boolean" }, check: { type: "boolean" } } },
  HELP,
);
const strangers = positionals.filter((name) => !isPart(name) && name !== "report" && name !== "accuracy");

if (strangers.length > 0) {
  console.error(`There is no part called ${strangers.map((name) => JSON.stringify(name)).join(" or ")}.\n\n${HELP}`);
  process.exitCode = 2;
} else if (positionals.includes("report")) {
  if (values.check !== true) writePages();
  else if (!checkPages()) process.exitCode = 1;
} else if (positionals.length > 0) {
  if (positionals.includes("accuracy")) await runAccuracyBenchmark();
  for (const name of positionals.filter(isPart)) await runPart(name, values.short === true ? "short" : "long");
} else {
  await runAll();
}

/** Every part, one after the other, and the page that tells of them. */
async function runAll() {
  const began = performance.now();
  const parts = [];
  for (const name of Object.keys(PARTS).filter(isPart)) {
    try {
      parts.push(await runPart(name, "short"));
    } catch (error) {
      // What one part lacks on this machine need not keep anybody from the others.
      console.error(`${name} has failed, and its last figures stay: ${String(error)}\n`);
      process.exitCode = 1;
    }
  }
  const seconds = Math.round((performance.now() - began) / 1000);
  for (const { part, seconds: own } of parts) console.log(`${part.padEnd(10)}${String(own).padStart(5)} s`);
  console.log(`${"together".padEnd(10)}${String(seconds).padStart(5)} s`);
  writeWholeRun({ seconds, parts });
  writePages();
}
