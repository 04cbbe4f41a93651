// @ts-check

/** @typedef {"openai-chat" | "openai-responses" | "anthropic-messages" | "gemini"} Dialect */
/** @typedef {import("fullstop").TerminationReason} Reason */

/**
 * An answer as a server sends it, and how it ended.
 *
 * @typedef {object} AccuracyCase
 * @property {string} name
 * @property {Dialect} dialect
 * @property {boolean} isStream Whether a stream is asked for.
 * @property {number} status
 * @property {string} contentType
 * @property {Uint8Array} body
 * @property {"end" | "break"} connection Whether the server ends the body properly or the connection breaks after it.
 * @property {Reason} expected How it ended.
 * @property {Reason | undefined} said What the server said, where it was fullstop's own rule that saw more in the text.
 * @property {readonly Reason[]} alsoRight What can be said of it as well: where the provider's own end marker is missing,
 *   a strict reader takes the answer for cut.
 * @property {readonly string[]} tools The tools that the model was given.
 */

/**
 * What differs from one synthetic case to the next. `body` is what is sent: payloads for a stream, one for a document.
 *
 * @typedef {object} Ending
 * @property {string} name
 * @property {Reason} expected
 * @property {string} stream
 * @property {string | undefined} [whole] The same ending in one piece, where there is such a thing.
 * @property {"end" | "break"} [connection]
 * @property {number} [status]
 * @property {string} [contentType] Of what comes, where it is not what was asked for.
 * @property {Reason} [said]
 * @property {readonly Reason[]} [alsoRight]
 */

const encoder = new TextEncoder();

/** The tool that the synthetic answers call. */
export const TOOL = "get_weather";

/** What a model says before it ends. */
export const WORDS = ["The capital ", "of France ", "is Paris."];

/** The arguments of a call, in the pieces in which they come. */
export const ARGUMENTS = ['{"city":', '"Paris"}'];

/** A sentence again and again, as a model writes it that has lost its way. */
export const LOOP = Array.from({ length: 60 }, () => "I will check the weather in Paris now. ");

/**
 * The cases of a dialect: each ending as a stream and, where there is one, as a whole answer.
 *
 * @param {Dialect} dialect
 * @param {string} family
 * @param {readonly Ending[]} endings
 * @returns {readonly AccuracyCase[]}
 */
export function toCases(dialect, family, endings) {
  return endings.flatMap(
    ({ name, expected, stream, whole, connection = "end", status = 200, contentType, said, alsoRight = [] }) => {
      const common = { dialect, status, connection, expected, said, alsoRight, tools: [TOOL] };
      const type = contentType ?? (status === 200 ? "text/event-stream" : "application/json");
      const cases = [
        {
          ...common,
          name: `${family}, stream: ${name}`,
          isStream: true,
          contentType: type,
          body: encoder.encode(stream),
        },
      ];
      if (whole !== undefined) {
        cases.push({
          ...common,
          name: `${family}, whole: ${name}`,
          isStream: false,
          contentType: contentType ?? "application/json",
          body: encoder.encode(whole),
        });
      }
      return cases;
    },
  );
}

/**
 * Payloads as a stream of unnamed events. Strings stand as they are.
 *
 * @param {readonly unknown[]} payloads
 */
export function dataEvents(...payloads) {
  return payloads
    .map((payload) => `data: ${typeof payload === "string" ? payload : JSON.stringify(payload)}\n\n`)
    .join("");
}

/**
 * Payloads as a stream of events that bear the name of their type.
 *
 * @param {readonly ((Readonly<Record<string, unknown>> & { readonly type: string }) | string)[]} payloads
 */
export function namedEvents(...payloads) {
  return payloads
    .map((payload) =>
      typeof payload === "string" ? payload : `event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`,
    )
    .join("");
}

/**
 * A text without its last part: what is there of it when a connection breaks.
 *
 * @param {string} text
 * @param {number} part How much of it is there, from 0 to 1.
 */
export function cut(text, part = 0.6) {
  return text.slice(0, Math.floor(text.length * part));
}
