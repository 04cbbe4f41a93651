// @ts-check

/**
 * The benchmarks: `npm run bench` runs all of them, `npm run bench -- wire` one. Each sets fullstop beside what
 * people write by hand and beside its peers, all in one run, prints tables and writes a file in results/. They report
 * what they find; a promise that is missed is printed as missed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const BENCHMARKS = {
  accuracy: async () => (await import("./accuracy/benchmark.mjs")).runAccuracyBenchmark,
  agent: async () => (await import("./agent/benchmark.mjs")).runAgentBenchmark,
  gateway: async () => (await import("./gateway/benchmark.mjs")).runGatewayBenchmark,
  llama: async () => (await import("./llama/benchmark.mjs")).runLlamaBenchmark,
  pipe: async () => (await import("./pipe/benchmark.mjs")).runPipeBenchmark,
  replicas: async () => (await import("./replicas/benchmark.mjs")).runReplicasBenchmark,
  soak: async () => (await import("./soak/benchmark.mjs")).runSoakBenchmark,
  stop: async () => (await import("./stop/benchmark.mjs")).runStopBenchmark,
  telegram: async () => (await import("./telegram/benchmark.mjs")).runTelegramBenchmark,
  wire: async () => (await import("./wire/benchmark.mjs")).runWireBenchmark,
};

/**
 * What a benchmark is given: a directory for what its processes read, and a way to say what is going on.
 *
 * @typedef {object} Surroundings
 * @property {string} directory
 * @property {(progress: string) => void} showProgress
 */

const known = Object.entries(BENCHMARKS);
const asked = process.argv.slice(2);
const strangers = asked.filter((name) => !(name in BENCHMARKS));
if (strangers.length > 0) {
  console.error(
    `No benchmark is called ${strangers.join(" or ")}; there are ${Object.keys(BENCHMARKS).join(" and ")}.`,
  );
  process.exitCode = 1;
} else {
  for (const [name, load] of known) {
    if (asked.length === 0 || asked.includes(name)) await runBenchmark(load);
  }
}

/** @param {() => Promise<(surroundings: Surroundings) => Promise<string>>} load */
async function runBenchmark(load) {
  const began = performance.now();
  const directory = mkdtempSync(join(tmpdir(), "fullstop-bench-"));
  try {
    const run = await load();
    const file = await run({ directory, showProgress });
    console.log(`${((performance.now() - began) / 1000).toFixed(0)} s; written to ${file}\n`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Says what is going on, in place, to whoever watches; a log file is spared.
 *
 * @param {string} progress
 */
function showProgress(progress) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${progress}`);
}
