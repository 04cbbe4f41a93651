// @ts-check
import { fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Everybody who is measured. */
export const SUBJECT_NAMES = /** @type {const} */ (["bare", "portkey", "fullstop"]);

/** @typedef {(typeof SUBJECT_NAMES)[number]} SubjectName */

/**
 * A server that is measured, in a process of its own.
 *
 * @typedef {object} Subject
 * @property {SubjectName} name
 * @property {string} url
 * @property {() => Promise<import("./meter.mjs").Costs>} costs
 * @property {() => Promise<void>} stop
 */

const METER = new URL("./meter.mjs", import.meta.url).href;
const UPSTREAM = fileURLToPath(new URL("./upstream.mjs", import.meta.url));
const BARE = fileURLToPath(new URL("./bare-proxy.mjs", import.meta.url));
const FULLSTOP = fileURLToPath(new URL("../../packages/gateway/bin/fullstop.js", import.meta.url));
const PORTKEY = fileURLToPath(import.meta.resolve("@portkey-ai/gateway/build/start-server.js"));

/** Starts the provider that stands behind everybody. */
export async function startUpstream() {
  const child = fork(UPSTREAM);
  /** @type {number} */
  const port = await new Promise((resolve, reject) => {
    child.once("message", (/** @type {number} */ said) => resolve(said));
    child.once("exit", (code) => reject(new Error(`the upstream ended with ${code}`)));
  });
  return { port, stop: () => end(child) };
}

/**
 * Starts a subject in front of the provider, each as its own documentation has it.
 *
 * @param {SubjectName} name
 * @param {number} upstreamPort
 * @param {string} directory For a configuration.
 * @returns {Promise<Subject>}
 */
export async function startSubject(name, upstreamPort, directory) {
  switch (name) {
    case "bare":
      return start(name, BARE, [String(upstreamPort)]);
    case "portkey": {
      const port = await findFreePort();
      return start(name, PORTKEY, ["--headless", `--port=${port}`], `http://127.0.0.1:${port}`);
    }
    default:
      return start(name, FULLSTOP, ["serve", "--port", "0", "--config", writeConfig(directory, upstreamPort)]);
  }
}

/**
 * @param {string} directory
 * @param {number} upstreamPort
 * @returns {string}
 */
function writeConfig(directory, upstreamPort) {
  const file = join(directory, "fullstop.config.json");
  const baseUrl = `http://127.0.0.1:${upstreamPort}/v1`;
  const providers = { chat: { baseUrl }, messages: { baseUrl, dialect: "anthropic-messages" } };
  // The others keep and log nothing either.
  const store = { place: { kind: "memory" } };
  writeFileSync(file, JSON.stringify({ providers, store, logs: { level: "warn" } }));
  return file;
}

/**
 * @param {SubjectName} name
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {string} [givenUrl] Where it does not say itself where it listens.
 * @returns {Promise<Subject>}
 */
async function start(name, program, parameters, givenUrl) {
  const child = fork(program, parameters, {
    execArgv: ["--import", METER],
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  /** @type {string} */
  const url = await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)));
    child.stdout?.on("data", (/** @type {Buffer} */ output) => {
      const said = givenUrl ?? /listening on (?<url>http:\S+)/u.exec(output.toString())?.groups?.["url"];
      if (said !== undefined) resolve(said);
    });
  });
  return {
    name,
    url,
    costs: () =>
      new Promise((resolve) => {
        child.once("message", (/** @type {import("./meter.mjs").Costs} */ costs) => resolve(costs));
        child.send({});
      }),
    stop: () => end(child),
  };
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<void>}
 */
function end(child) {
  return new Promise((resolve) => {
    child.removeAllListeners("exit");
    child.once("exit", () => resolve());
    child.kill();
  });
}

/** @returns {Promise<number>} */
function findFreePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
