// @ts-check
import { FullstopError } from "fullstop";
import { openai, openaiResponses } from "fullstop/engines";
import { WIRE_FORMATS } from "fullstop/wire";
import { attempt, hold, holdSame, jsonOf, toText } from "../oracle.mjs";
import { REQUEST_SEEDS, REQUEST_WORDS } from "./request-seeds.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */
/** @typedef {keyof typeof WIRE_FORMATS} Dialect */

/** The dialects as everybody takes them, and as OpenAI does, which is told more. */
const FORMATS = [
  ...Object.values(WIRE_FORMATS),
  ...[openai("k"), openaiResponses("k")].map(({ format }) => ({
    ...WIRE_FORMATS[/** @type {Dialect} */ (format.name)],
    ...format,
  })),
];

/**
 * @param {Dialect} dialect
 * @returns {Target}
 */
function requestTarget(dialect) {
  const format = WIRE_FORMATS[dialect];
  const target = dialect === "gemini" ? { model: "m", stream: true } : {};
  return {
    name: `request-${dialect}`,
    files: new RegExp(
      `fullstop/dist/wire/(?:${dialect}/(?:de|en)code-(?:request|messages|schema|thinking)|requests)`,
      "u",
    ),
    seeds: REQUEST_SEEDS[dialect],
    words: REQUEST_WORDS,
    run(input) {
      const body = jsonOf(toText(input));
      const before = JSON.stringify(body);
      const decoded = attempt(() => format.decodeRequest(body, target), [FullstopError]);
      holdSame(JSON.stringify(body), before, "reading a body does not change it");
      if ("refusal" in decoded) return decoded.refusal.message.replaceAll(/[\d"]|, got .*/gsu, "").slice(0, 80);
      const { request } = decoded.value;
      for (const other of FORMATS) {
        const first = writeAndRead(other, request);
        if (first === undefined) continue;
        const second = writeAndRead(other, first.request);
        if (second === undefined) {
          // Where nothing was left that it knows, and it has said so, there is nothing to be sent.
          hold(first.hasWarned, `${other.name} writes what it has read`, first.json);
          continue;
        }
        // What a dialect cannot say is lost on the first way, and nothing on the next.
        const third = writeAndRead(other, second.request);
        holdSame(third?.json, second.json, `${other.name} loses nothing twice`);
      }
      return request.messages
        .map((message) => message.role)
        .join()
        .slice(0, 60);
    },
  };
}

/**
 * Writes a request in a dialect and reads it again; nothing if the dialect refuses to say it.
 *
 * @param {import("fullstop/wire").WireFormat} format
 * @param {import("fullstop").GenerationRequest} request
 */
function writeAndRead(format, request) {
  const encoded = attempt(() => format.encodeRequest(request), [FullstopError]);
  if ("refusal" in encoded) return undefined;
  const json = JSON.stringify(encoded.value.body);
  const { model, stream } = request;
  const read = attempt(() => format.decodeRequest(jsonOf(json), { model, stream }), [FullstopError]);
  hold(!("refusal" in read), `${format.name} reads what it writes`, json);
  return { json, request: read.value.request, hasWarned: read.value.warnings.length > 0 };
}

/** The requests of the four dialects. */
export const REQUEST_TARGETS = /** @type {Dialect[]} */ (Object.keys(WIRE_FORMATS)).map((name) => requestTarget(name));
