// @ts-check
import { ANSWER_FORMATS, WIRE_FORMATS } from "fullstop/wire";

/**
 * Our encoder: events in, frames out.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const encode = ({ chunks, format }) => {
  const events = decodeEvents(chunks, format);
  const stage = formatOf(format).encodeStream();
  const expected = countCharacters(writeFrames(stage, events), format);
  return () => {
    let frames = 0;
    const sink = stage({
      push(frame) {
        if (frame.length > 0) frames += 1;
      },
      end: () => undefined,
    });
    for (const event of events) sink.push(event);
    sink.end();
    return { characters: frames === 0 ? 0 : expected };
  };
};

/**
 * What nobody can do without: JSON out of values that are there already, in frames.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const encodeFloor = ({ chunks, format }) => {
  const frames = writeFrames(formatOf(format).encodeStream(), decodeEvents(chunks, format));
  const payloads = frames
    .join("")
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => /** @type {unknown} */ (JSON.parse(line.slice("data: ".length))));
  const expected = countCharacters(frames, format);
  return () => {
    let length = 0;
    for (const payload of payloads) length += `data: ${JSON.stringify(payload)}\n\n`.length;
    return { characters: length === 0 ? 0 : expected };
  };
};

/** @param {import("../streams.mjs").FormatName} format */
function formatOf(format) {
  if (format === "ollama-chat") throw new Error(`${format} is only read`);
  return WIRE_FORMATS[format];
}

/**
 * @param {readonly Uint8Array[]} chunks
 * @param {import("../streams.mjs").FormatName} format
 * @returns {readonly import("fullstop").GenerationEvent[]}
 */
function decodeEvents(chunks, format) {
  /** @type {import("fullstop").GenerationEvent[]} */
  const events = [];
  const sink = ANSWER_FORMATS[format].decodeStream()({
    push: (event) => void events.push(event),
    end: () => undefined,
  });
  for (const chunk of chunks) sink.push(chunk);
  sink.end();
  return events;
}

/**
 * @param {import("fullstop").Stage<import("fullstop").GenerationEvent, string>} stage
 * @param {readonly import("fullstop").GenerationEvent[]} events
 * @returns {readonly string[]}
 */
function writeFrames(stage, events) {
  /** @type {string[]} */
  const frames = [];
  const sink = stage({ push: (frame) => void frames.push(frame), end: () => undefined });
  for (const event of events) sink.push(event);
  sink.end();
  return frames;
}

/**
 * The text in the frames, read back, so that nobody is fast by leaving something out.
 *
 * @param {readonly string[]} frames
 * @param {import("../streams.mjs").FormatName} format
 * @returns {number}
 */
function countCharacters(frames, format) {
  return decodeEvents([new TextEncoder().encode(frames.join(""))], format).reduce(
    (total, event) => total + (event.type === "text" || event.type === "reasoning" ? event.text.length : 0),
    0,
  );
}
