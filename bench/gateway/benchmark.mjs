// @ts-check
import { installPeers } from "../peers.mjs";
import { LEGEND } from "../report.mjs";
import { LABELS, SECTIONS } from "./catalogue.mjs";
import { measureGrowth } from "./growth.mjs";
import { startUpstream } from "./processes.mjs";
import { formatOthers, summarizeSamples } from "./report.mjs";
import { measureSpeed } from "./rounds.mjs";
import { PAUSE, REQUEST_TOKENS, STREAMS } from "./speed.mjs";
import { SUBJECT_NAMES, describePeers, startSubject, whyNot } from "./subjects.mjs";
import { judgeGateway } from "./verdicts.mjs";

/**
 * The benchmark of the gateway: with translation and every stop rule on, beside a connection without any gateway,
 * beside nginx and a proxy that only parses what it passes on, and beside its peers. All of them stand in front of the
 * same provider, each in a process of its own; the provider and the client are in others, which do not count.
 *
 * @param {import("../parts.mjs").Surroundings} surroundings
 * @returns {Promise<import("../parts.mjs").Findings>}
 */
export async function runGatewayBenchmark(surroundings) {
  installPeers();
  console.log(formatHead());
  const upstream = await startUpstream();
  const place = { upstreamPort: upstream.port, directory: surroundings.directory };
  try {
    const { subjects, skipped } = await startSubjects(place);
    const runsOn = Object.fromEntries([...subjects.values()].map((subject) => [subject.name, subject.runsOn]));
    const samples = await measureAndStop(subjects, place, surroundings);
    const growth = await measureGrowth([...subjects.keys()], place, surroundings);
    return describe(samples, growth, { runsOn, skipped });
  } finally {
    await upstream.stop();
  }
}

/**
 * Starts whoever can be measured on this machine.
 *
 * @param {import("./subjects.mjs").Place} place
 */
async function startSubjects(place) {
  /** @type {Map<import("./subjects.mjs").SubjectName, import("./subjects.mjs").Subject>} */
  const subjects = new Map();
  /** @type {Record<string, string>} */
  const skipped = {};
  for (const name of SUBJECT_NAMES) {
    const reason = whyNot(name);
    if (reason === undefined) subjects.set(name, await startSubject(name, place));
    else skipped[name] = reason;
  }
  for (const [name, reason] of Object.entries(skipped)) console.log(`Left out: ${name}, because ${reason}.\n`);
  return { subjects, skipped };
}

/**
 * @param {ReadonlyMap<import("./subjects.mjs").SubjectName, import("./subjects.mjs").Subject>} subjects
 * @param {import("./subjects.mjs").Place} place
 * @param {import("../parts.mjs").Surroundings} surroundings
 */
async function measureAndStop(subjects, { upstreamPort }, surroundings) {
  try {
    return await measureSpeed(subjects, upstreamPort, surroundings);
  } finally {
    for (const subject of subjects.values()) await subject.stop();
  }
}

/**
 * @param {import("./rounds.mjs").Samples} samples
 * @param {import("./growth.mjs").GrowthFigures} growth
 * @param {{runsOn: Readonly<Record<string, string>>, skipped: Readonly<Record<string, string>>}} circumstances
 * @returns {import("../parts.mjs").Findings}
 */
function describe(samples, growth, { runsOn, skipped }) {
  const measurements = new Map(
    [...samples].map(([id, list]) => [id, { samples: list.map(({ nanoseconds }) => nanoseconds) }]),
  );
  const costs = summarizeSamples(samples);
  return {
    sections: SECTIONS,
    measurements,
    verdicts: judgeGateway(measurements, growth),
    remarks: `${formatRunsOn(runsOn)}\n${formatOthers(costs, growth)}`,
    others: { peers: describePeers(), runsOn, skipped, costs, growth },
  };
}

/** @returns {string} What was measured on what. */
function formatHead() {
  return [
    `Streams: ${STREAMS} at once, one token an event, an event every ${PAUSE} ms.`,
    `Whole answers: ${REQUEST_TOKENS} tokens, as many requests as can be served.`,
    LEGEND,
    "",
  ].join("\n");
}

/**
 * @param {Readonly<Record<string, string>>} runsOn
 * @returns {string}
 */
function formatRunsOn(runsOn) {
  const rows = Object.entries(runsOn).map(
    ([name, program]) => `  ${LABELS[/** @type {import("./subjects.mjs").SubjectName} */ (name)].padEnd(28)}${program}`,
  );
  return ["What runs each", ...rows, ""].join("\n");
}
