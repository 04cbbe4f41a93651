// @ts-check

/**
 * The provider of these measurements, in a process of its own: it speaks all four dialects and answers by the name of
 * the model that it is asked for. `plan-7` is the seventh stream of the plan, with its fault; `endless-7-50` has a
 * piece every 50 ms until somebody closes it; `mute-7` says nothing at all; `flood-7-200` sends 200 MB as fast as
 * they are taken.
 */
import { createServer } from "node:http";
import { Readable, pipeline } from "node:stream";
import { framesOf } from "./frames.mjs";
import { planStream } from "./plan.mjs";
import { now } from "./now.mjs";

/** @typedef {import("./plan.mjs").Plan} Plan */
/** @typedef {import("node:http").ServerResponse} Response */

/**
 * How an exchange ended for the provider: it said all it had to say, or the other side was gone before.
 *
 * @typedef {object} Exchange
 * @property {string} model
 * @property {"answered" | "gone"} how
 * @property {number} at
 * @property {number | undefined} port The other side's, by which it knows the connection.
 */

const script = /** @type {import("./plan.mjs").Script} */ (JSON.parse(process.argv[2] ?? "{}"));

const PAGE = "<!doctype html><title>502 Bad Gateway</title><h1>nginx</h1>";
const STREAM = { "content-type": "text/event-stream" };
/** How many bytes of a frame a slow provider sends at once. */
const DRIP_BYTES = 40;
const FLOOD_PIECE = "flood ".repeat(2700);

/** @type {Exchange[]} */
let exchanges = [];
/** @type {Set<import("node:net").Socket>} */
const sockets = new Set();

const server = createServer((request, response) => {
  if (request.method === "GET") {
    // The console asks which models there are, and these have no list.
    response.writeHead(404).end();
    return;
  }
  const chunks = /** @type {Buffer[]} */ ([]);
  const { socket } = request;
  request.on("data", (/** @type {Buffer} */ chunk) => chunks.push(chunk));
  request.on("end", () => {
    const model = modelOf(request.url ?? "", Buffer.concat(chunks).toString());
    const port = socket.remotePort;
    response.on("close", () => {
      exchanges.push({ model, how: response.writableFinished ? "answered" : "gone", at: now(), port });
    });
    if (!response.destroyed) void answer(model, request.url ?? "", response);
  });
});
server.on("connection", (socket) => {
  sockets.add(socket);
  socket.on("error", () => undefined);
  socket.on("close", () => sockets.delete(socket));
});

/**
 * @param {string} url
 * @param {string} body
 * @returns {string}
 */
function modelOf(url, body) {
  const { model } = /** @type {{model: string}} */ (JSON.parse(body));
  return /\/models\/(?<model>[^:]+):/u.exec(url)?.groups?.["model"] ?? model;
}

/**
 * @param {string} model
 * @param {string} url
 * @param {Response} response
 */
async function answer(model, url, response) {
  const [kind, number, parameter] = model.split("-");
  if (kind === "plan") return carryOut(planStream(script, Number(number)), response);
  if (kind === "mute") return undefined;
  const frames = framesOf({
    ...planStream(script, Number(number)),
    provider: dialectAt(url),
    thinking: [],
    pieces: [kind === "flood" ? FLOOD_PIECE : "endless "],
  });
  const [first = ""] = frames.pieces;
  response.writeHead(200, STREAM);
  response.write(first);
  const again = repeatable(first);
  if (kind === "endless") {
    const timer = setInterval(() => response.write(again), Number(parameter));
    response.on("close", () => clearInterval(timer));
    return undefined;
  }
  // The other side may leave in the middle, which is what it is for.
  pipeline(Readable.from(flood(again, Number(parameter) * 1e6, frames.finish)), response, () => undefined);
  return undefined;
}

/**
 * @param {string} frame
 * @param {number} bytes
 * @param {() => string} finish
 */
function* flood(frame, bytes, finish) {
  for (let left = bytes; left > 0; left -= FLOOD_PIECE.length) yield frame;
  yield finish();
}

/**
 * The last frame of a first piece, which can be sent any number of times: those before it open the answer.
 *
 * @param {string} frames
 * @returns {string}
 */
function repeatable(frames) {
  return `${frames.split("\n\n").at(-2)}\n\n`;
}

/**
 * @param {string} url
 * @returns {import("./plan.mjs").Dialect}
 */
function dialectAt(url) {
  if (url.startsWith("/v1beta/")) return "gemini";
  if (url.endsWith("/messages")) return "anthropic-messages";
  return url.endsWith("/responses") ? "openai-responses" : "openai-chat";
}

/**
 * @param {Plan} plan
 * @param {Response} response
 */
async function carryOut(plan, response) {
  const { fault, gap } = plan;
  if (fault === "silent") return;
  if (fault === "page" || fault === "status-429" || fault === "status-500") {
    refuse(fault, response);
    return;
  }
  response.writeHead(200, STREAM);
  response.flushHeaders();
  const { pieces, finish, failure } = framesOf(plan);
  const breaks = !["none", "drip", "repetition"].includes(fault);
  const spoken = breaks ? pieces.slice(0, plan.faultAt) : pieces;
  for (const frames of spoken) {
    await pause(gap);
    if (response.destroyed) return;
    if (fault === "drip") await drip(response, frames, gap);
    else response.write(frames);
  }
  await pause(gap);
  if (response.destroyed) return;
  const next = pieces[plan.faultAt] ?? "";
  switch (fault) {
    case "close":
      response.end();
      break;
    case "cut":
      response.write(next.slice(0, next.length / 2), () => response.destroy());
      break;
    case "reset":
      response.socket?.resetAndDestroy();
      break;
    case "in-band":
      response.end(failure());
      break;
    case "garbage":
      response.end("\u0000\u0007 %PDF-1.7 \uFFFD\n\n{not json}\n\n");
      break;
    case "stall":
      break;
    default:
      response.end(finish());
  }
}

/**
 * Sends some frames in pieces that respect neither frames nor characters.
 *
 * @param {Response} response
 * @param {string} frames
 * @param {number} gap
 */
async function drip(response, frames, gap) {
  const bytes = Buffer.from(frames);
  for (let start = 0; start < bytes.length && !response.destroyed; start += DRIP_BYTES) {
    response.write(bytes.subarray(start, start + DRIP_BYTES));
    await pause(gap / 10);
  }
}

/**
 * @param {"page" | "status-429" | "status-500"} fault
 * @param {Response} response
 */
function refuse(fault, response) {
  if (fault === "page") {
    response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
    return;
  }
  response.writeHead(fault === "status-429" ? 429 : 500, { "content-type": "application/json", "retry-after": "1" });
  response.end(JSON.stringify({ error: { message: "Not now", type: "mock" } }));
}

/** @param {number} milliseconds */
function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

process.on("message", () => {
  process.send?.({ exchanges, sockets: sockets.size });
  exchanges = [];
});
process.on("disconnect", () => process.exit());
// Room for everybody who connects at once.
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" ? address?.port : undefined });
});
