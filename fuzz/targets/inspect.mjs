// @ts-check
import { paintNothing } from "../../packages/gateway/dist/colours.js";
import { renderJsonLine } from "../../packages/gateway/dist/inspect/json-line.js";
import { readAnswer } from "../../packages/gateway/dist/inspect/read-answer.js";
import { renderTimeline } from "../../packages/gateway/dist/inspect/timeline.js";
import { cutsOfBytes, hold, holdSame, jsonOf } from "../oracle.mjs";
import { hashBytes } from "../random.mjs";
import { ANSWER_SEEDS, ANSWER_WORDS } from "./answer-seeds.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */

/**
 * @param {readonly Uint8Array[]} pieces
 * @param {{ readonly chunkBytes?: number, readonly status?: number }} options
 */
function inspect(pieces, { chunkBytes, status }) {
  const source = (async function* () {
    yield* pieces;
  })();
  return readAnswer("a\nb", source, { format: undefined, chunkBytes, status });
}

/** @type {Target} */
const inspection = {
  name: "inspect",
  files: /gateway\/dist\/inspect\/(?:read-answer|summary|json-line|timeline|pieces)\.js$/u,
  seeds: Object.values(ANSWER_SEEDS).map((seeds) => seeds[0] ?? ""),
  words: [...ANSWER_WORDS, "\u001b[2J", "\u2028", "\u009b", "\\u001b[31m", "\\n"],
  async run(input) {
    const status = [undefined, 200, 429][hashBytes(input) % 3];
    const whole = await inspect([input], { ...(status !== undefined && { status }) });
    holdSame(whole.size, input.length, "every byte counts");
    const line = renderJsonLine(whole);
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    hold(!/[\u0000-\u001F\u007F-\u009F\u2028\u2029]/u.test(line), "a line of JSON is one line", line);
    const told = /** @type {Record<string, unknown>} */ (jsonOf(line));
    hold(typeof told === "object", "a line of JSON is JSON", line);
    const { parts, signal } = whole.summary;
    holdSame(
      told["text"],
      parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
      "it has all the text",
    );
    holdSame(told["signal"], jsonOf(JSON.stringify(signal)), "it has the ending");
    const width = 20 + (hashBytes(input) % 150);
    for (const each of renderTimeline(whole, { width, paint: paintNothing })) {
      hold(!/(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(each), "nothing acts on a terminal", each);
      hold(each.length < 16 * 600 * 8, "a line is of bounded length", each.length);
    }
    for (const pieces of cutsOfBytes(input)) {
      const other = await inspect(pieces, {
        chunkBytes: 1 + (hashBytes(input) % 40),
        ...(status !== undefined && { status }),
      });
      holdSame(other, whole, "cuts do not matter");
    }
    return `${whole.format} ${signal.reason} ${parts.map(({ type }) => type[0]).join("")}`.slice(0, 60);
  },
};

/** What `fullstop inspect` reads. */
export const INSPECT_TARGETS = [inspection];
