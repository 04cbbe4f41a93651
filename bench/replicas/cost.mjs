// @ts-check
import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import { fileURLToPath } from "node:url";

/** @typedef {import("./stores.mjs").StoreKind} StoreKind */

/** @type {readonly StoreKind[]} */
export const KINDS = ["none", "memory", "sqlite", "redis"];

const WORKER = fileURLToPath(new URL("cost-worker.mjs", import.meta.url));

/** As many streams at once, each with as many chunks, that come as fast as a quick model writes. */
const STREAMS = 100;
const CHUNKS = 100;
const CHUNK_MILLISECONDS = 20;

/** The streams take turns, so that not all of them have a chunk at the same moment. */
const TURNS = 4;

const DROPPED_ROUNDS = 1;
const ROUNDS = { long: 10, short: 3 };

/**
 * Measures how much of the processor a gateway uses for a chunk, with each of the stores, in turns: see interleave.mjs
 * for why.
 *
 * @param {{directory: string, redisUrl: string}} place
 * @param {Pick<import("../parts.mjs").Surroundings, "sampling" | "showProgress">} surroundings
 * @returns {Promise<import("../interleave.mjs").Measurements>} Nanoseconds a chunk.
 */
export async function measureCost(place, { sampling, showProgress }) {
  const rounds = DROPPED_ROUNDS + ROUNDS[sampling];
  const upstream = await openProvider();
  const gateways = [];
  for (const kind of KINDS)
    gateways.push({ kind, ...(await startGateway({ kind, upstream: upstream.url, ...place })) });
  const samples = new Map(KINDS.map((kind) => [kind, /** @type {number[]} */ ([])]));
  for (let round = 0; round < rounds; round++) {
    showProgress(`cost of recording, round ${round + 1} of ${rounds}`);
    for (let turn = 0; turn < gateways.length; turn++) {
      const gateway = gateways[(turn + round) % gateways.length];
      if (gateway === undefined) continue;
      const before = await gateway.cpu();
      await Promise.all(Array.from({ length: STREAMS }, () => readStream(gateway.url)));
      const used = (await gateway.cpu()) - before;
      if (round >= DROPPED_ROUNDS) samples.get(gateway.kind)?.push((used * 1000) / (STREAMS * CHUNKS));
    }
  }
  for (const { stop } of gateways) stop();
  upstream.close();
  return new Map(KINDS.map((kind) => [`cost/${kind}`, { samples: samples.get(kind) ?? [] }]));
}

/** @param {import("./cost-worker.mjs").Task} task */
async function startGateway(task) {
  const child = fork(WORKER, [JSON.stringify(task)]);
  const [{ url }] = /** @type {[{url: string}]} */ (await once(child, "message"));
  return {
    url,
    /** Microseconds that it has used so far. */
    async cpu() {
      child.send("cpu");
      const [{ cpu }] = /** @type {[{cpu: NodeJS.CpuUsage}]} */ (await once(child, "message"));
      return cpu.user + cpu.system;
    },
    stop: () => void child.kill(),
  };
}

/** A provider whose answers cost as little as possible, because it runs beside what is measured. */
async function openProvider() {
  const chunk = frameOf({ content: "word " }, null);
  const end = `${frameOf({}, "stop")}data: [DONE]\n\n`;
  /** @type {Set<{response: import("node:http").ServerResponse, left: number, turn: number}>} */
  const open = new Set();
  let asked = 0;
  const server = createServer((incoming, response) => {
    incoming.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.socket?.setNoDelay(true);
    asked += 1;
    open.add({ response, left: CHUNKS, turn: asked % TURNS });
  });
  let tick = 0;
  const timer = setInterval(() => {
    tick += 1;
    for (const each of open) {
      if (each.turn !== tick % TURNS) continue;
      each.left -= 1;
      if (each.left >= 0) each.response.write(chunk);
      else {
        each.response.end(end);
        open.delete(each);
      }
    }
  }, CHUNK_MILLISECONDS / TURNS);
  await new Promise((resolve) => void server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close() {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * @param {object} delta
 * @param {string | null} reason
 * @returns {string}
 */
function frameOf(delta, reason) {
  const choices = [{ index: 0, delta, finish_reason: reason }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

const agent = new Agent({ keepAlive: true, maxSockets: STREAMS });
const BODY = JSON.stringify({ model: "up/m", stream: true, messages: [{ role: "user", content: "Hi" }] });

/**
 * Reads a stream to its end, and makes sure that it came to it.
 *
 * @param {string} url
 * @returns {Promise<void>}
 */
function readStream(url) {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": BODY.length };
    const sent = request(`${url}/v1/chat/completions`, { method: "POST", agent, headers }, (response) => {
      let last = "";
      response.setEncoding("utf8");
      response.on("data", (/** @type {string} */ text) => (last = text));
      response.on("end", () => {
        if (last.includes("[DONE]")) resolve();
        else reject(new Error(`a stream ended with ${last}`));
      });
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(BODY);
  });
}
