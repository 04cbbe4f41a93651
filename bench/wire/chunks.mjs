// @ts-check
import { readFileSync } from "node:fs";

/**
 * How bytes arrive: one event at a time as from a slow model, or in pieces of a size as from a fast one or through a
 * proxy that collects.
 *
 * @typedef {"event" | number} Cut
 */

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Reads the bytes of a stream and cuts them. Every chunk has memory of its own, as chunks from a socket do.
 *
 * @param {import("./streams.mjs").Stream} stream
 * @param {Cut} cut
 * @returns {readonly Uint8Array[]}
 */
export function readChunks({ file, format }, cut) {
  const bytes = readFileSync(file);
  const ends = cut === "event" ? eventEnds(bytes, format === "ollama-chat" ? 1 : 2) : stepsOf(bytes.length, cut);
  let start = 0;
  return ends.map((end) => {
    const chunk = Uint8Array.from(bytes.subarray(start, end));
    start = end;
    return chunk;
  });
}

/**
 * The same chunks as the body of an answer to `fetch`, which is where clients take them from.
 *
 * @param {readonly Uint8Array[]} chunks
 * @returns {Response}
 */
export function toResponse(chunks) {
  let next = 0;
  const body = new ReadableStream({
    pull(controller) {
      const chunk = chunks[next++];
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}

/**
 * The body of such an answer.
 *
 * @param {readonly Uint8Array[]} chunks
 * @returns {ReadableStream<Uint8Array>}
 */
export function toBody(chunks) {
  const { body } = toResponse(chunks);
  if (body === null) throw new Error("the response has no body");
  return body;
}

/**
 * @param {Uint8Array} bytes
 * @param {number} lineFeeds How many in a row end an event.
 * @returns {number[]}
 */
function eventEnds(bytes, lineFeeds) {
  /** @type {number[]} */
  const ends = [];
  let row = 0;
  for (const [index, byte] of bytes.entries()) {
    if (byte === LINE_FEED) row += 1;
    else if (byte !== CARRIAGE_RETURN) row = 0;
    if (row === lineFeeds) {
      ends.push(index + 1);
      row = 0;
    }
  }
  if (ends.at(-1) !== bytes.length) ends.push(bytes.length);
  return ends;
}

/**
 * @param {number} length
 * @param {number} step
 * @returns {number[]}
 */
function stepsOf(length, step) {
  return Array.from({ length: Math.ceil(length / step) }, (_, index) => Math.min(length, (index + 1) * step));
}
