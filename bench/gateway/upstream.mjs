// @ts-check
import { createServer } from "node:http";
import { STAMP, writeAnswers, writeStampedAnswers } from "./answer.mjs";

/**
 * The provider that everybody is measured in front of, in a process of its own. It speaks Chat Completions and
 * Messages, by the address, and the model's name says how: `200-tokens-every-8-ms` is a stream in which every event is
 * a write and so a packet of its own, and the next one comes 8 ms later. All such streams take their steps together,
 * as those of an inference server do that computes one batch for all of them. With a pause of 0 all of a stream is
 * written at once. A request that asks for no stream gets the same answer in one piece. In `100-stamps-every-8-ms` each
 * piece of text is the time at which it was written, by the clock that all processes of a machine share.
 */

/** @type {Map<string, import("./answer.mjs").Answers>} By what they say, and how much of it. */
const answers = new Map();

const server = createServer((request, response) => {
  let json = "";
  request.setEncoding("utf8");
  request.on("data", (/** @type {string} */ piece) => (json += piece));
  request.on("end", () => {
    const asked = /** @type {Asked} */ (JSON.parse(json));
    answer(request.url ?? "", asked, response);
  });
});
// Connections are kept for as long as the benchmark takes.
server.keepAliveTimeout = 0;

/**
 * What is looked at of a request.
 *
 * @typedef {object} Asked
 * @property {string} model
 * @property {boolean} [stream]
 */

/**
 * @param {string} url
 * @param {Asked} body
 * @param {import("node:http").ServerResponse} response
 */
function answer(url, { model, stream = false }, response) {
  const [, what = "", pause = ""] = /^(\d+-(?:tokens|stamps))-every-(\d+)-ms$/u.exec(model) ?? [];
  const { dialects } = answersOf(what);
  const { frames, whole } = dialects[url.endsWith("/messages") ? "anthropic-messages" : "openai-chat"];
  if (!stream) {
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(whole) });
    response.end(whole);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  if (pause === "0") response.end(frames.join(""));
  else batchOf(Number(pause)).add({ response, frames: frames.values() });
}

/**
 * A stream under way.
 *
 * @typedef {object} Stream
 * @property {import("node:http").ServerResponse} response
 * @property {Iterator<string, undefined>} frames Those that are still to come.
 */

/** @type {Map<number, Set<Stream>>} By the pause. */
const batches = new Map();

/**
 * @param {number} pause
 * @returns {Set<Stream>}
 */
function batchOf(pause) {
  const known = batches.get(pause);
  if (known !== undefined) return known;
  /** @type {Set<Stream>} */
  const batch = new Set();
  batches.set(pause, batch);
  setInterval(() => {
    for (const stream of batch) if (!takeStep(stream)) batch.delete(stream);
  }, pause);
  return batch;
}

/**
 * @param {Stream} stream
 * @returns {boolean} Whether there is more to come.
 */
function takeStep({ response, frames }) {
  const next = frames.next();
  if (next.done === true || response.destroyed) {
    response.end();
    return false;
  }
  response.write(next.value.replace(STAMP, () => `t${process.hrtime.bigint()}`));
  return true;
}

/** @param {string} what */
function answersOf(what) {
  const known = answers.get(what);
  if (known !== undefined) return known;
  const [count = "", kind] = what.split("-");
  const written = kind === "stamps" ? writeStampedAnswers(Number(count)) : writeAnswers(Number(count));
  answers.set(what, written);
  return written;
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.(typeof address === "object" && address !== null ? address.port : 0);
});
