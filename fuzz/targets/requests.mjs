// @ts-check
import { FullstopError } from "fullstop";
import { WIRE_FORMATS } from "fullstop/wire";
import { attempt, hold, holdSame, jsonOf, toText } from "../oracle.mjs";
import { REQUEST_SEEDS, REQUEST_WORDS } from "./request-seeds.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */
/** @typedef {keyof typeof WIRE_FORMATS} Dialect */

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
      for (const other of Object.values(WIRE_FORMATS)) {
        const encoded = attempt(() => other.encodeRequest(request), [FullstopError]);
        if ("refusal" in encoded) continue;
        const again = JSON.stringify(encoded.value.body);
        hold(typeof again === "string", "a request can be sent", encoded.value);
        // Written and read once more, a request says the same: nothing is lost twice.
        const second = attempt(
          () => other.decodeRequest(jsonOf(again), { model: request.model, stream: request.stream }),
          [FullstopError],
        );
        hold(!("refusal" in second), `${other.name} reads what it writes`, again);
        holdSame(
          JSON.stringify(other.encodeRequest(second.value.request).body),
          again,
          `${other.name} writes what it has read as it was`,
        );
      }
      return request.messages
        .map((message) => message.role)
        .join()
        .slice(0, 60);
    },
  };
}

/** The requests of the four dialects. */
export const REQUEST_TARGETS = /** @type {Dialect[]} */ (Object.keys(WIRE_FORMATS)).map((name) => requestTarget(name));
