// @ts-check

/**
 * How much is measured: `long` when a part is run by its name, `short` in the whole run, which is to end within a
 * quarter of an hour.
 *
 * @typedef {"long" | "short"} Sampling
 */

/**
 * What a part is given: a directory for what its processes read, how much to measure, and a way to say what is going
 * on.
 *
 * @typedef {object} Surroundings
 * @property {string} directory
 * @property {Sampling} sampling
 * @property {(progress: string) => void} showProgress
 */

/**
 * What a part has found.
 *
 * @typedef {object} Findings
 * @property {readonly import("./report.mjs").Section[]} sections
 * @property {import("./interleave.mjs").Measurements} measurements
 * @property {readonly import("./verdicts.mjs").Verdict[]} verdicts
 * @property {string} remarks What no table of times shows, for people to read.
 * @property {object} others The same and more, for the file.
 */

/**
 * A part of the proof. Each sets fullstop beside what people write by hand or beside its peers, all in one run.
 *
 * @typedef {object} Part
 * @property {string} title
 * @property {string} file Its results, in results/.
 * @property {() => Promise<(surroundings: Surroundings) => Promise<Findings>>} load Its code, which is imported only
 * when it is run.
 */

/** @typedef {keyof typeof PARTS} PartName */

/** In the order in which the whole run takes them, and in which people read of them. */
export const PARTS = /** @satisfies {Readonly<Record<string, Part>>} */ ({
  stop: {
    title: "Stop rules",
    file: "stop-rules.json",
    load: async () => (await import("./stop/benchmark.mjs")).runStopBenchmark,
  },
  wire: {
    title: "Wire formats",
    file: "wire-formats.json",
    load: async () => (await import("./wire/benchmark.mjs")).runWireBenchmark,
  },
  gateway: {
    title: "The gateway beside others",
    file: "gateway.json",
    load: async () => (await import("./gateway/benchmark.mjs")).runGatewayBenchmark,
  },
  llama: {
    title: "The local engine",
    file: "local-engine.json",
    load: async () => (await import("./llama/benchmark.mjs")).runLlamaBenchmark,
  },
  agent: {
    title: "The agent loop",
    file: "agent-loop.json",
    load: async () => (await import("./agent/benchmark.mjs")).runAgentBenchmark,
  },
  soak: {
    title: "Two thousand streams with stops, leaves and faults",
    file: "soak.json",
    load: async () => (await import("./soak/benchmark.mjs")).runSoakBenchmark,
  },
  replicas: {
    title: "Stores and replicas",
    file: "replicas.json",
    load: async () => (await import("./replicas/benchmark.mjs")).runReplicasBenchmark,
  },
  console: {
    title: "The console",
    file: "console.json",
    load: async () => (await import("./console/benchmark.mjs")).runConsoleBenchmark,
  },
  telegram: {
    title: "The Telegram bot",
    file: "telegram.json",
    load: async () => (await import("./telegram/benchmark.mjs")).runTelegramBenchmark,
  },
  pipe: {
    title: "The command line",
    file: "pipe.json",
    load: async () => (await import("./pipe/benchmark.mjs")).runPipeBenchmark,
  },
});

/**
 * @param {string} name
 * @returns {name is PartName}
 */
export function isPart(name) {
  return Object.hasOwn(PARTS, name);
}
