// @ts-check

/**
 * Loaded into the gateway's process before the gateway: says over IPC what the process holds, and notes when stops come
 * in and connections to providers are closed. The gateway itself knows nothing of it.
 */
import { subscribe } from "node:diagnostics_channel";
import { collectGarbage } from "../apart.mjs";
import { now } from "./now.mjs";

/**
 * @typedef {object} ProcessState
 * @property {number} heapBytes After collecting garbage, with what lies outside the heap.
 * @property {number} residentBytes
 * @property {Readonly<Record<string, number>>} resources What keeps the process awake, by kind.
 */

/**
 * @typedef {object} Notes
 * @property {readonly (readonly [id: string, at: number])[]} stops When the order to stop a generation came in.
 * @property {readonly (readonly [port: number, at: number])[]} closes When the connection from a port was let go.
 */

/** @type {(readonly [string, number])[]} */
let stops = [];
/** @type {(readonly [number, number])[]} */
let closes = [];

subscribe("http.server.request.start", (message) => {
  const { request } = /** @type {{request: import("node:http").IncomingMessage}} */ (message);
  const id = /^\/v1\/generations\/(?<id>[^/]+)\/stop$/u.exec(request.url ?? "")?.groups?.["id"];
  if (id !== undefined) stops.push([id, now()]);
});

subscribe("net.client.socket", (message) => {
  const { socket } = /** @type {{socket: import("node:net").Socket}} */ (message);
  let port = 0;
  socket.on("connect", () => (port = socket.localPort ?? 0));
  socket.on("close", () => closes.push([port, now()]));
});

process.on("message", (/** @type {"state" | "notes"} */ asked) => {
  process.send?.(asked === "state" ? stateOf() : { stops, closes });
  if (asked === "notes") [stops, closes] = [[], []];
});
process.on("disconnect", () => process.exit());

/** @returns {ProcessState} */
function stateOf() {
  collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  /** @type {Record<string, number>} */
  const resources = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  return { heapBytes: heapUsed + external, residentBytes: rss, resources };
}
