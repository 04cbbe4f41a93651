// @ts-check

/**
 * The benchmark of the stop rules, `npm run bench`: fullstop beside what people write by hand, beside
 * node-llama-cpp's own detector and beside the plain repetition algorithm, all in one run. Prints a table and
 * writes results/stop-rules.json. It reports what it finds; a promise that is missed is printed as missed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SECTIONS } from "./catalogue.mjs";
import { measure } from "./interleave.mjs";
import { measureMemory } from "./memory.mjs";
import { formatHead, formatMemory, formatSection, formatVerdicts } from "./report.mjs";
import { describeMachine, writeResults } from "./results.mjs";
import { writeTokenSets } from "./token-sets.mjs";
import { judge } from "./verdicts.mjs";

const NODE_MODULES = fileURLToPath(new URL("../node_modules", import.meta.url));
const RESULTS = fileURLToPath(new URL("./results/stop-rules.json", import.meta.url));

const began = performance.now();
const directory = mkdtempSync(join(tmpdir(), "fullstop-bench-"));
try {
  const { fileOf, corpus } = writeTokenSets(NODE_MODULES, directory);
  console.log(formatHead(describeMachine(), corpus));

  const entries = SECTIONS.flatMap((section) => section.entries);
  const measurements = await measure(entries, fileOf, showProgress);
  showProgress("steady memory");
  const memory = await measureMemory(fileOf("markdown"));
  showProgress("");

  const verdicts = judge(measurements, memory);
  for (const section of SECTIONS) console.log(formatSection(section, measurements));
  console.log(formatMemory(memory));
  console.log(formatVerdicts(verdicts));
  writeResults(RESULTS, measurements, { corpus, memory, verdicts });
  console.log(`${((performance.now() - began) / 1000).toFixed(0)} s; written to ${RESULTS}`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/**
 * Says what is going on, in place, to whoever watches; a log file is spared.
 *
 * @param {string} progress
 */
function showProgress(progress) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${progress}`);
}
