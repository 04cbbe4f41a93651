// @ts-check
import { execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** @typedef {Omit<import("./subjects.mjs").Subject, "name">} Running */

const METER = new URL("./meter.mjs", import.meta.url).href;
const UPSTREAM = fileURLToPath(new URL("./upstream.mjs", import.meta.url));

/** Linux counts the processor's time in these. */
const TICKS_PER_SECOND = 100;

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
 * Starts a program of Node, with the meter in its process.
 *
 * @param {object} order
 * @param {string} order.node
 * @param {readonly string[]} [order.flags] What is said to Node itself.
 * @param {string} order.program
 * @param {readonly string[]} order.parameters
 * @param {string} [order.url] Where it does not say itself where it listens.
 * @returns {Promise<Running>}
 */
export async function startNode({ node, flags = [], program, parameters, url: givenUrl }) {
  const child = fork(program, parameters, {
    execPath: node,
    execArgv: [...flags, "--import", METER],
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    // Peers that tell their makers of their use are not to do so here.
    env: { PATH: process.env["PATH"], LANGCHAIN_TRACING_V2: "false", NODE_ENV: "production" },
  });
  /** @type {string} */
  const url = await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code}`)));
    child.stdout?.on("data", (/** @type {Buffer} */ output) => {
      const said = givenUrl ?? /listening on (?<url>http:\S+)/u.exec(output.toString())?.groups?.["url"];
      if (said !== undefined) resolve(said);
    });
  });
  const costs = () =>
    new Promise((/** @type {(costs: import("./meter.mjs").Costs) => void} */ resolve) => {
      child.once("message", (/** @type {import("./meter.mjs").Costs} */ told) => resolve(told));
      child.send({});
    });
  return { url, runsOn: `Node ${(await costs()).node}`, costs, stop: () => end(child) };
}

/**
 * Starts nginx as a proxy that passes everything on at once, in one process as Node has.
 *
 * @param {string} program
 * @param {import("./subjects.mjs").Place} place
 * @returns {Promise<Running>}
 */
export async function startNginx(program, { directory, upstreamPort }) {
  const folder = join(directory, "nginx");
  mkdirSync(folder, { recursive: true });
  const port = await findFreePort();
  const file = join(folder, "nginx.conf");
  writeFileSync(file, nginxConfig(folder, port, upstreamPort));
  const child = spawn(program, ["-p", folder, "-e", "stderr", "-c", file], { stdio: ["ignore", "ignore", "inherit"] });
  await listens(port, child);
  const version = execFileSync("sh", ["-c", `${program} -v 2>&1`], { encoding: "utf8" });
  return {
    url: `http://127.0.0.1:${port}`,
    runsOn: /nginx\/\S+/u.exec(version)?.[0] ?? "nginx",
    costs: () => Promise.resolve(readCosts(child.pid ?? 0)),
    stop: () => end(child),
  };
}

/**
 * @param {string} folder
 * @param {number} port
 * @param {number} upstreamPort
 * @returns {string}
 */
function nginxConfig(folder, port, upstreamPort) {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder};`);
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
worker_rlimit_nofile 8192;
events { worker_connections 8192; }
http {
  access_log off;
  ${temporary.join("\n  ")}
  upstream provider { server 127.0.0.1:${upstreamPort}; keepalive 2048; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    keepalive_requests 1000000;
    location / {
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;
}

/**
 * What the system knows of a process that tells nothing itself.
 *
 * @param {number} id
 * @returns {import("./meter.mjs").Costs}
 */
function readCosts(id) {
  // The name of the program comes first, in brackets, and may hold anything.
  const fields = readFileSync(`/proc/${id}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  const peak = /VmHWM:\s+(?<kilobytes>\d+)/u.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.groups?.["kilobytes"];
  return {
    processorMicroseconds: (ticks * 1e6) / TICKS_PER_SECOND,
    peakResidentBytes: Number(peak) * 1024,
    node: "",
  };
}

/**
 * Waits until somebody listens on a port.
 *
 * @param {number} port
 * @param {import("node:child_process").ChildProcess} child
 */
async function listens(port, child) {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      socket.destroy();
      return;
    } catch {
      // Not yet. It tells nobody when it is ready.
      await sleep(20);
    }
  }
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
export function findFreePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
