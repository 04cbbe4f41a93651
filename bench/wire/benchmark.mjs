// @ts-check
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measure } from "../interleave.mjs";
import { installPeers, peerVersion, versionIn } from "../peers.mjs";
import { LEGEND } from "../report.mjs";
import { listBodies } from "./bodies.mjs";
import { listSections } from "./catalogue.mjs";
import { writeStreams } from "./streams.mjs";
import { judgeWireFormats } from "./verdicts.mjs";

const NODE_MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const WORKER = fileURLToPath(new URL("./worker.mjs", import.meta.url));

/** The newest versions that run on the oldest Node we support. */
const PEERS = ["openai", "@anthropic-ai/sdk", "@ai-sdk/openai", "@ai-sdk/anthropic", "eventsource-parser"];

/**
 * The benchmark of the wire formats: fullstop's decoders and encoders beside the least that anybody has to do, and
 * beside the clients of the providers, the AI SDK and llm-bridge, on the same bytes.
 *
 * @param {import("../parts.mjs").Surroundings} surroundings
 * @returns {Promise<import("../parts.mjs").Findings>}
 */
export async function runWireBenchmark({ directory, sampling, showProgress }) {
  installPeers();
  const peers = {
    ...Object.fromEntries(PEERS.map((name) => [name, versionIn(join(NODE_MODULES, name, "package.json"))])),
    "llm-bridge": peerVersion("llm-bridge"),
  };
  const streams = writeStreams(NODE_MODULES, directory);
  const sections = listSections(streams, listBodies(), sampling);
  console.log(formatHead(peers, streams));

  /** @type {Map<string, import("../interleave.mjs").Measurement>} */
  const measurements = new Map();
  // Section by section, because nobody is compared across them, and a hundred processes at once are many.
  for (const section of sections) {
    const found = await measure(section.entries, WORKER, {
      sampling,
      showProgress: (progress) => showProgress(`${section.title}: ${progress}`),
    });
    for (const [id, measurement] of found) measurements.set(id, measurement);
  }

  const described = streams.map(({ id, bytes, events, characters }) => ({ id, bytes, events, characters }));
  return {
    sections,
    measurements,
    verdicts: judgeWireFormats(sections, measurements),
    remarks: "",
    others: { peers, streams: described },
  };
}

/**
 * What was measured on what.
 *
 * @param {Readonly<Record<string, string>>} peers
 * @param {readonly import("./streams.mjs").Stream[]} streams
 * @returns {string}
 */
function formatHead(peers, streams) {
  const versions = Object.entries(peers).map(([name, version]) => `${name} ${version}`);
  const isRecorded = streams.some(({ origin }) => origin === "recorded");
  return [
    `Peers: ${versions.join(", ")}`,
    isRecorded
      ? "Streams: generated ones in each provider's exact shape, and recorded ones where a long one is there."
      : "Streams: generated in each provider's exact shape; no recorded ones on this machine.",
    "An event is one JSON payload on the wire; a time is that of a whole stream divided by its events.",
    LEGEND,
    "",
  ].join("\n");
}
