// @ts-check
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Recorded answers lie beside the checkout on some machines. They are not part of it. */
const FOLDER = resolve(import.meta.dirname, "../../../shared/recorded");

/** @typedef {import("./synthetic/case.mjs").AccuracyCase} AccuracyCase */
/** @typedef {import("./synthetic/case.mjs").Dialect} Dialect */

/**
 * A record of the index.
 *
 * @typedef {object} Recording
 * @property {string} name
 * @property {string} file
 * @property {string} provider
 * @property {string} format
 * @property {boolean} streaming
 * @property {number} status
 * @property {string} contentType
 * @property {{ readonly reason: import("fullstop").TerminationReason, readonly toolCalls: readonly { readonly name: string }[] }} expected
 */

const DIALECTS = new Set(["openai-chat", "openai-responses", "anthropic-messages", "gemini"]);

/**
 * The recorded answers in the dialects that the peers speak too, or none if this machine has none.
 *
 * @returns {readonly AccuracyCase[]}
 */
export function readRecordedCases() {
  const index = join(FOLDER, "index.json");
  if (!existsSync(index)) return [];
  const recordings = /** @type {readonly Recording[]} */ (JSON.parse(readFileSync(index, "utf8")));
  return recordings
    .filter(({ format }) => DIALECTS.has(format))
    .map(({ name, file, format, streaming, status, contentType, expected }) => ({
      name,
      dialect: /** @type {Dialect} */ (format),
      isStream: streaming,
      status,
      contentType,
      body: new Uint8Array(readFileSync(join(FOLDER, file))),
      connection: "end",
      expected: expected.reason,
      said: undefined,
      alsoRight: [],
      tools: [...new Set(expected.toolCalls.map((call) => call.name))],
    }));
}
