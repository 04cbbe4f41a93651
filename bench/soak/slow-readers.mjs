// @ts-check
import { get, request as openRequest } from "node:http";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { openStage } from "./processes.mjs";

/**
 * By how many bytes the gateway grows at most, while its provider sends 200 MB as fast as they are taken.
 *
 * @typedef {object} SlowReaderFigures
 * @property {number} asking For a client that has asked and reads nothing.
 * @property {number} following For twenty that follow an answer and read nothing, while the one who has asked reads.
 */

const MEGABYTES = 200;
const FOLLOWERS = 20;
const PATIENCE = 6000;

/**
 * @param {string} directory
 * @param {import("./plan.mjs").Script} script
 * @param {(progress: string) => void} showProgress
 * @returns {Promise<SlowReaderFigures>}
 */
export async function measureSlowReaders(directory, script, showProgress) {
  showProgress("slow readers");
  return { asking: await measure(directory, script, 0), following: await measure(directory, script, FOLLOWERS) };
}

/**
 * @param {string} directory
 * @param {import("./plan.mjs").Script} script
 * @param {number} followers
 * @returns {Promise<number>} Bytes.
 */
async function measure(directory, script, followers) {
  const stage = await openStage(directory, script, {});
  const { residentBytes: before } = await stage.state();
  const { request, response } = await ask(stage.url);
  const id = String(response.headers["x-fullstop-generation-id"]);
  const others = Array.from({ length: followers }, () =>
    get(`${stage.url}/v1/generations/${id}/events`, { agent: false }).on("error", () => undefined),
  );
  if (followers > 0) response.resume();
  let most = 0;
  for (const end = performance.now() + PATIENCE; performance.now() < end; await sleep(50)) {
    most = Math.max(most, stage.residentBytes());
  }
  for (const each of [request, ...others]) each.destroy();
  await stage.close();
  return most - before;
}

/**
 * Asks for a stream of which nothing is read yet.
 *
 * @param {string} url
 */
async function ask(url) {
  const request = openRequest(`${url}/v1/chat/completions`, { method: "POST", agent: false });
  const model = `openai-chat/flood-0-${MEGABYTES}`;
  request.end(JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Hi" }] }));
  const [response] = /** @type {[import("node:http").IncomingMessage]} */ (await once(request, "response"));
  for (const each of [request, response]) each.on("error", () => undefined);
  return { request, response };
}
