// @ts-check
import { createTerminationSignal } from "fullstop";
import { WIRE_FORMATS } from "fullstop/wire";

/** What a provider says of itself in every answer. */
const USAGE = /** @type {const} */ ({ type: "usage", usage: { inputTokens: 9, outputTokens: 42 } });

/** @type {import("fullstop").GenerationEvent} */
const FINISH = {
  type: "finish",
  signal: createTerminationSignal({ reason: "natural_completion", originalField: "mock", originalValue: "stop" }),
};

/** @type {import("fullstop").GenerationEvent} */
const FAILURE = {
  type: "finish",
  signal: createTerminationSignal({
    reason: "error_termination",
    detail: "overloaded",
    originalField: "mock",
    originalValue: "overloaded_error",
    message: "Busy",
  }),
};

/**
 * An answer as a provider sends it: one string for each piece, what comes before the first of them, and the two ways
 * in which it can end.
 *
 * @typedef {object} Frames
 * @property {readonly string[]} pieces
 * @property {() => string} finish
 * @property {() => string} failure
 */

/**
 * @param {import("./plan.mjs").Plan} plan
 * @returns {Frames}
 */
export function framesOf({ provider, thinking, pieces, number }) {
  let written = "";
  const sink = { push: (/** @type {string} */ frame) => void (written += withoutOurs(frame)), end: () => undefined };
  const encoder = WIRE_FORMATS[provider].encodeStream({ created: 1, includeUsage: true })(sink);
  const take = () => {
    const frames = written;
    written = "";
    return frames;
  };
  encoder.push({ type: "start", id: `mock-${number}`, model: "mock" });
  const all = [
    ...thinking.map((text) => /** @type {const} */ ({ type: "reasoning", text })),
    ...pieces.map((text) => /** @type {const} */ ({ type: "text", text })),
  ];
  return {
    pieces: all.map((event) => {
      encoder.push(event);
      return take();
    }),
    finish() {
      encoder.push(USAGE);
      encoder.push(FINISH);
      encoder.end();
      return take();
    },
    failure() {
      encoder.push(FAILURE);
      return take();
    },
  };
}

/**
 * A frame without the field in which one fullstop tells another how an answer ended, which no provider has.
 *
 * @param {string} frame
 * @returns {string}
 */
function withoutOurs(frame) {
  if (!frame.includes('"fullstop"')) return frame;
  return frame.replace(/^data: (?<json>\{.*)$/gmu, (_line, /** @type {string} */ json) => {
    const stripped = JSON.stringify(JSON.parse(json), (key, /** @type {unknown} */ value) =>
      key === "fullstop" ? undefined : value,
    );
    return `data: ${stripped}`;
  });
}
