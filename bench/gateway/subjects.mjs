// @ts-check
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findPeersNode, peerFile, peerVersion } from "../peers.mjs";
import { findFreePort, startNginx, startNode } from "./processes.mjs";

/**
 * Everybody who is measured. Those named `…-here` are the same programs on the Node that runs the benchmark, where the
 * others need a newer one: nobody is compared with somebody on another Node.
 */
export const SUBJECT_NAMES = /** @type {const} */ ([
  "direct",
  "nginx",
  "bare",
  "portkey",
  "ai-sdk",
  "llm-bridge",
  "langchain",
  "fullstop",
  "bare-here",
  "portkey-here",
  "fullstop-here",
]);

/** @typedef {(typeof SUBJECT_NAMES)[number]} SubjectName */

/**
 * A server that is measured, in a process of its own.
 *
 * @typedef {object} Subject
 * @property {SubjectName} name
 * @property {string} url
 * @property {string} runsOn The program that runs it, with its version.
 * @property {() => Promise<import("./meter.mjs").Costs>} costs
 * @property {() => Promise<void>} stop
 */

/**
 * Where subjects are started: in front of which provider, and with a folder for their configurations.
 *
 * @typedef {object} Place
 * @property {number} upstreamPort
 * @property {string} directory
 */

const BARE = fileURLToPath(new URL("./bare-proxy.mjs", import.meta.url));
const FULLSTOP = fileURLToPath(new URL("../../packages/gateway/bin/fullstop.js", import.meta.url));
/** As `npm start` and docs/deployment.md have it. */
const FULLSTOP_FLAGS = ["--max-semi-space-size=16", "--no-memory-reducer"];
const RELAYS = {
  "ai-sdk": new URL("./relays/ai-sdk.mjs", import.meta.url),
  "llm-bridge": new URL("./relays/llm-bridge.mjs", import.meta.url),
  langchain: new URL("./relays/langchain.mjs", import.meta.url),
};
/** Where Debian and others put it. */
const NGINX = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx"].find((path) => existsSync(path));

/**
 * The Node of all subjects but those named `…-here`. It is looked for when it is wanted, because the peers, and it with
 * them, are installed after this file was loaded.
 */
const chooseNode = () => findPeersNode() ?? process.execPath;

/** What the peers are called, with their versions, and what is measured of each. */
export function describePeers() {
  return {
    "@portkey-ai/gateway": peerVersion("@portkey-ai/gateway"),
    ai: `${peerVersion("ai")}, streamText behind an HTTP server of ours`,
    "llm-bridge": `${peerVersion("llm-bridge")}, its translation of streams behind an HTTP server of ours`,
    "@langchain/core": `${peerVersion("@langchain/core")}, stream() behind an HTTP server of ours`,
  };
}

/**
 * Why a subject cannot be measured on this machine, if that is so.
 *
 * @param {SubjectName} name
 * @returns {string | undefined}
 */
export function whyNot(name) {
  if (name === "nginx" && NGINX === undefined) return "nginx is not installed (Debian's package is called nginx)";
  if (name.endsWith("-here")) return chooseNode() === process.execPath ? "all run on this Node anyway" : undefined;
  const needsNewerNode = name === "ai-sdk" || name === "langchain";
  return needsNewerNode && findPeersNode() === undefined
    ? "it needs Node 22, and there is none for this system"
    : undefined;
}

/**
 * Starts a subject in front of the provider, each as its own documentation has it.
 *
 * @param {SubjectName} name
 * @param {Place} place
 * @returns {Promise<Subject>}
 */
export async function startSubject(name, place) {
  const upstreamPort = String(place.upstreamPort);
  switch (name) {
    case "direct":
      return {
        name,
        url: `http://127.0.0.1:${upstreamPort}`,
        runsOn: "nothing",
        costs: () => Promise.resolve({ processorMicroseconds: 0, peakResidentBytes: 0, node: "" }),
        stop: () => Promise.resolve(),
      };
    case "nginx":
      return { name, ...(await startNginx(NGINX ?? "nginx", place)) };
    case "portkey":
    case "portkey-here": {
      const node = name === "portkey" ? chooseNode() : process.execPath;
      const port = await findFreePort();
      const program = peerFile("@portkey-ai/gateway/build/start-server.js");
      const url = `http://127.0.0.1:${port}`;
      return { name, ...(await startNode({ node, program, parameters: ["--headless", `--port=${port}`], url })) };
    }
    case "ai-sdk":
    case "llm-bridge":
    case "langchain": {
      const program = fileURLToPath(RELAYS[name]);
      return { name, ...(await startNode({ node: chooseNode(), program, parameters: [upstreamPort] })) };
    }
    case "bare":
    case "bare-here": {
      const node = name === "bare" ? chooseNode() : process.execPath;
      return { name, ...(await startNode({ node, program: BARE, parameters: [upstreamPort] })) };
    }
    default: {
      const node = name === "fullstop" ? chooseNode() : process.execPath;
      const parameters = ["serve", "--port", "0", "--config", writeConfig(place)];
      return { name, ...(await startNode({ node, flags: FULLSTOP_FLAGS, program: FULLSTOP, parameters })) };
    }
  }
}

/**
 * @param {Place} place
 * @returns {string}
 */
function writeConfig({ directory, upstreamPort }) {
  const file = join(directory, "fullstop.config.json");
  const baseUrl = `http://127.0.0.1:${upstreamPort}/v1`;
  const providers = { chat: { baseUrl }, messages: { baseUrl, dialect: "anthropic-messages" } };
  // The others keep and log nothing either.
  const store = { place: { kind: "memory" } };
  writeFileSync(file, JSON.stringify({ providers, store, logs: { level: "warn" } }));
  return file;
}
