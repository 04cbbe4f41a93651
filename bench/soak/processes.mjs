// @ts-check
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { DIALECTS } from "./plan.mjs";

const pathOf = (/** @type {string} */ file) => fileURLToPath(new URL(file, import.meta.url));

/**
 * The gateway and its provider, each in a process of its own.
 *
 * @typedef {object} Stage
 * @property {string} url Of the gateway.
 * @property {() => Promise<import("./probe.mjs").ProcessState>} state What the gateway holds.
 * @property {() => Promise<import("./probe.mjs").Notes>} notes What the gateway noted since it was last asked.
 * @property {() => Promise<UpstreamReport>} upstream What the provider has seen since it was last asked.
 * @property {() => number} residentBytes What the gateway holds now, without asking it.
 * @property {() => Promise<void>} close
 */

/** @typedef {{exchanges: readonly import("./upstream.mjs").Exchange[], sockets: number}} UpstreamReport */

/** How long the gateway waits for a provider in these measurements: so short that whoever stalls is seen to end. */
const TIMEOUTS = { firstByteMilliseconds: 4000, silenceMilliseconds: 4000 };

/** @typedef {import("node:child_process").ChildProcess} ChildProcess */

/** The gateway as it is installed, with somebody in its process who tells of it. */
const FLAGS = [
  "--expose-gc",
  "--import",
  new URL("probe.mjs", import.meta.url).href,
  pathOf("../../packages/gateway/bin/fullstop.js"),
];

/**
 * What a process sends next.
 *
 * @param {ChildProcess} child
 * @returns {Promise<unknown>}
 */
function messageOf(child) {
  return new Promise((resolve, reject) => {
    const onExit = (/** @type {number | null} */ code) => reject(new Error(`a process ended with ${code}`));
    child.once("exit", onExit);
    child.once("message", (message) => {
      child.off("exit", onExit);
      resolve(message);
    });
  });
}

/**
 * @param {ChildProcess} child
 * @param {string} what
 * @returns {Promise<unknown>}
 */
function ask(child, what) {
  const answer = messageOf(child);
  child.send(what);
  return answer;
}

/**
 * Opens both.
 *
 * @param {string} directory For the configuration.
 * @param {import("./plan.mjs").Script} script
 * @param {object} retention What the gateway keeps of generations that have ended.
 * @returns {Promise<Stage>}
 */
export async function openStage(directory, script, retention) {
  const upstream = fork(pathOf("upstream.mjs"), [JSON.stringify(script)], { execArgv: [] });
  const { port } = /** @type {{port: number}} */ (await messageOf(upstream));
  const providers = Object.fromEntries(
    DIALECTS.map((dialect) => {
      const baseUrl = `http://127.0.0.1:${port}/${dialect === "gemini" ? "v1beta" : "v1"}`;
      return [dialect, { dialect, baseUrl, timeouts: TIMEOUTS }];
    }),
  );
  const file = join(directory, "fullstop.config.json");
  writeFileSync(
    file,
    JSON.stringify({
      providers,
      store: { place: { kind: "memory" }, retention },
      replica: "soak",
      logs: { level: "error" },
    }),
  );
  const gateway = spawn(process.execPath, [...FLAGS, "serve", "--config", file, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: { PATH: process.env["PATH"] },
  });
  const url = await listening(gateway);
  return {
    url,
    state: async () => /** @type {import("./probe.mjs").ProcessState} */ (await ask(gateway, "state")),
    notes: async () => /** @type {import("./probe.mjs").Notes} */ (await ask(gateway, "notes")),
    upstream: async () => /** @type {UpstreamReport} */ (await ask(upstream, "report")),
    residentBytes: () => residentBytesOf(gateway.pid ?? 0),
    async close() {
      const ends = [once(gateway, "exit"), once(upstream, "exit")];
      gateway.disconnect();
      upstream.disconnect();
      await Promise.all(ends);
    },
  };
}

/**
 * @param {ChildProcess} gateway
 * @returns {Promise<string>}
 */
function listening(gateway) {
  return new Promise((resolve, reject) => {
    if (gateway.stdout === null) throw new Error("the gateway has no standard output");
    createInterface({ input: gateway.stdout }).on("line", (line) => {
      const url = /^fullstop is listening on (?<url>\S+)$/u.exec(line)?.groups?.["url"];
      if (url !== undefined) resolve(url);
    });
    gateway.once("exit", (code) => reject(new Error(`the gateway ended with ${code}`)));
  });
}

/**
 * @param {number} process
 * @returns {number}
 */
function residentBytesOf(process) {
  const pages = readFileSync(`/proc/${process}/statm`, "utf8").split(" ")[1];
  return Number(pages) * 4096;
}
