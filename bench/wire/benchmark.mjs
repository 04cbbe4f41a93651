// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measure } from "../interleave.mjs";
import { LEGEND, formatSection, formatVerdicts } from "../report.mjs";
import { describeMachine, writeResults } from "../results.mjs";
import { listBodies } from "./bodies.mjs";
import { listSections } from "./catalogue.mjs";
import { writeStreams } from "./streams.mjs";
import { judge } from "./verdicts.mjs";

const NODE_MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const RESULTS = fileURLToPath(new URL("../results/wire-formats.json", import.meta.url));
const WORKER = fileURLToPath(new URL("./worker.mjs", import.meta.url));

/** The newest versions that run on the oldest Node we support. */
const PEERS = ["openai", "@anthropic-ai/sdk", "@ai-sdk/openai", "@ai-sdk/anthropic", "eventsource-parser"];

/**
 * The benchmark of the wire formats: fullstop's decoders beside the least that any reader has to do, and beside the
 * clients of the providers and of the AI SDK, on the same bytes.
 *
 * @param {import("../run.mjs").Surroundings} surroundings
 * @returns {Promise<string>} The file with all figures.
 */
export async function runWireBenchmark({ directory, showProgress }) {
  const peers = Object.fromEntries(PEERS.map((name) => [name, versionOf(name)]));
  const streams = writeStreams(NODE_MODULES, directory);
  const sections = listSections(streams, listBodies());
  console.log(formatHead(describeMachine(), peers, streams));

  /** @type {Map<string, import("../interleave.mjs").Measurement>} */
  const measurements = new Map();
  // Section by section, because nobody is compared across them, and a hundred processes at once are many.
  for (const section of sections) {
    const found = await measure(section.entries, WORKER, (progress) => showProgress(`${section.title}: ${progress}`));
    for (const [id, measurement] of found) measurements.set(id, measurement);
    showProgress("");
    console.log(formatSection(section, measurements));
  }

  const verdicts = judge(sections, measurements);
  console.log(formatVerdicts(verdicts));
  const described = streams.map(({ id, bytes, events, characters }) => ({ id, bytes, events, characters }));
  writeResults(RESULTS, sections, measurements, { peers, streams: described, verdicts });
  return RESULTS;
}

/**
 * What was measured on what.
 *
 * @param {ReturnType<typeof describeMachine>} machine
 * @param {Readonly<Record<string, string>>} peers
 * @param {readonly import("./streams.mjs").Stream[]} streams
 * @returns {string}
 */
function formatHead({ processor, cores, node }, peers, streams) {
  const versions = Object.entries(peers).map(([name, version]) => `${name} ${version}`);
  const isRecorded = streams.some(({ origin }) => origin === "recorded");
  return [
    `${processor}, ${cores} cores, Node ${node}`,
    `Peers: ${versions.join(", ")}`,
    isRecorded
      ? "Streams: generated ones in each provider's exact shape, and recorded ones where a long one is there."
      : "Streams: generated in each provider's exact shape; no recorded ones on this machine.",
    "An event is one JSON payload on the wire; a time is that of a whole stream divided by its events.",
    LEGEND,
    "",
  ].join("\n");
}

/**
 * @param {string} name
 * @returns {string}
 */
function versionOf(name) {
  /** @type {unknown} */
  const manifest = JSON.parse(readFileSync(join(NODE_MODULES, name, "package.json"), "utf8"));
  const hasVersion = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return hasVersion ? String(manifest.version) : "unknown";
}
