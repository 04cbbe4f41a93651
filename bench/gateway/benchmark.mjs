// @ts-check
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { LEGEND, formatSection, formatVerdicts } from "../report.mjs";
import { describeMachine, writeResults } from "../results.mjs";
import { SECTIONS } from "./catalogue.mjs";
import { measureMemory } from "./memory.mjs";
import { formatOthers, summarizeSamples } from "./report.mjs";
import { PAUSE, REQUEST_TOKENS, STREAMS, STREAM_TOKENS, measureSpeed } from "./speed.mjs";
import { SUBJECT_NAMES, startSubject, startUpstream } from "./subjects.mjs";
import { judge } from "./verdicts.mjs";

const RESULTS = fileURLToPath(new URL("../results/gateway.json", import.meta.url));

/**
 * The benchmark of the gateway: with translation and every stop rule on, beside a proxy that only parses what it
 * passes on, and beside Portkey's gateway. All of them stand in front of the same provider, each in a process of its
 * own; the provider and the client are in others, which do not count.
 *
 * @param {import("../run.mjs").Surroundings} surroundings
 * @returns {Promise<string>} The file with all figures.
 */
export async function runGatewayBenchmark({ directory, showProgress }) {
  const loadBefore = loadavg();
  console.log(formatHead(describeMachine(), loadBefore));
  const upstream = await startUpstream();
  /** @type {Map<import("./subjects.mjs").SubjectName, import("./subjects.mjs").Subject>} */
  const subjects = new Map();
  for (const name of SUBJECT_NAMES) subjects.set(name, await startSubject(name, upstream.port, directory));
  const samples = await measureSpeed(subjects, upstream.port, showProgress);
  for (const subject of subjects.values()) await subject.stop();
  const memory = await measureMemory(upstream.port, directory, showProgress);
  await upstream.stop();
  showProgress("");

  const measurements = new Map(
    [...samples].map(([id, list]) => [id, { samples: list.map(({ nanoseconds }) => nanoseconds) }]),
  );
  const verdicts = judge(measurements, memory);
  const costs = summarizeSamples(samples);
  const loadAverages = { before: loadBefore, after: loadavg() };
  for (const section of SECTIONS) console.log(formatSection(section, measurements));
  console.log(formatOthers(costs, memory));
  console.log(formatVerdicts(verdicts));
  console.log(`Load averages at the end: ${formatLoad(loadAverages.after)}`);
  writeResults(RESULTS, SECTIONS, measurements, { loadAverages, costs, memory, verdicts });
  return RESULTS;
}

/**
 * What was measured on what.
 *
 * @param {ReturnType<typeof describeMachine>} machine
 * @param {readonly number[]} load
 * @returns {string}
 */
function formatHead({ processor, cores, node }, load) {
  return [
    `${processor}, ${cores} cores, Node ${node}, load averages ${formatLoad(load)}`,
    `Streams: ${STREAMS} at once, ${STREAM_TOKENS} tokens each, one an event, an event every ${PAUSE} ms.`,
    `Whole answers: ${REQUEST_TOKENS} tokens, as many requests as can be served.`,
    LEGEND,
    "",
  ].join("\n");
}

/**
 * @param {readonly number[]} load
 * @returns {string}
 */
function formatLoad(load) {
  return load.map((average) => average.toFixed(1)).join(", ");
}
