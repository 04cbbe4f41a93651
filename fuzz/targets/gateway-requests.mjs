// @ts-check
import { openaiChat } from "fullstop/wire";
import { decode, takeSettings } from "../../packages/gateway/dist/doors/answer.js";
import { DOORS } from "../../packages/gateway/dist/doors/door.js";
import { readHistoryQuery } from "../../packages/gateway/dist/generations/history.js";
import { createThinkingControl } from "../../packages/gateway/dist/models/llama-server.js";
import { RequestError } from "../../packages/gateway/dist/request-error.js";
import { checkStops, layOver, readGenerationSettings } from "../../packages/gateway/dist/rules/generation-settings.js";
import { attempt, cutsOfBytes, hold, holdSame, jsonOf, toText } from "../oracle.mjs";
import { hashBytes } from "../random.mjs";
import { REQUEST_SEEDS, REQUEST_WORDS } from "./request-seeds.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */

/**
 * What a complaint is about, without what differs from one input to the next.
 *
 * @param {string} message
 */
export const shorten = (message) => message.replaceAll(/[\d"]|, got .*/gsu, "").slice(0, 60);

/**
 * The bodies of requests, and what the gateway itself takes out of them.
 *
 * @type {Target}
 */
export const requests = {
  name: "gateway-request",
  files: /gateway\/dist\/(?:doors\/door|rules\/(?:generation-settings|compile-rules)|quote-value)\.js$/u,
  seeds: [
    ...Object.values(REQUEST_SEEDS).flat(),
    '{"fullstop":{"stop":["END"],"repetition":true,"onDisconnect":"continue"}}',
    '{"input":"x","background":true,"fullstop":{"maxCharacters":5,"maxMilliseconds":10,"include":true}}',
    '{"fullstop":{"stop":"a","caseInsensitive":true,"maxCost":1,"stopTokenIds":[1],"ignoreEos":true,"minTokens":1}}',
    '{"fullstop":{"onDisconnect":"x"}}',
    '{"fullstop":{"unknown":1}}',
    '{"fullstop":[]}',
    '{"limit":"20","before":"x"}\nsome-model:streamGenerateContent',
  ],
  words: [
    ...REQUEST_WORDS,
    "fullstop",
    "onDisconnect",
    "continue",
    "background",
    "limit",
    "before",
    ":generateContent",
    "repetition",
  ],
  run(input) {
    const [json = "", rest = ""] = toText(input).split("\n");
    const body = jsonOf(json);
    const words = DOORS.map((door) => {
      const read = attempt(() => {
        const taken = door.takeBackground?.(body) ?? { body };
        const { body: bare } = takeSettings(taken.body);
        const target =
          door.format.name === "gemini"
            ? door.target(rest === "" ? "m:generateContent" : rest, {})
            : door.target(rest, {});
        return decode(door.format, bare, target);
      }, [RequestError]);
      return "refusal" in read ? shorten(read.refusal.message) : "request";
    });
    words.push(checkSettings(takeSettings(body).fullstop));
    const query = attempt(() => readHistoryQuery(body), [RequestError]);
    if ("value" in query) {
      const { limit, before } = query.value;
      hold(Number.isSafeInteger(limit) && limit >= 1 && limit <= 1000, "a page has a length", limit);
      hold(before === undefined || typeof before === "string", "a page begins somewhere", before);
    }
    return words[hashBytes(input) % words.length];
  },
};

/**
 * Settings are read whatever else is in a request: by themselves, and over others.
 *
 * @param {unknown} given
 */
function checkSettings(given) {
  const before = JSON.stringify(given);
  const below = /** @type {const} */ ({ rules: { maxCharacters: 7 }, onDisconnect: "stop" });
  const read = attempt(() => readGenerationSettings(given, below), [RequestError]);
  holdSame(JSON.stringify(given), before, "reading settings does not change them");
  if ("refusal" in read) return shorten(read.refusal.message);
  const { rules, maxCost, onDisconnect } = read.value;
  const { onDisconnect: said, ...asked } = /** @type {Record<string, unknown>} */ (given ?? {});
  holdSame(onDisconnect, said ?? "stop", "what a disconnect means is as was said");
  // An amount alone is counted by the prices of the model, and is no rule of the library's.
  const { maxCost: cost, ...others } = asked;
  const isAmount = maxCost !== undefined;
  if (isAmount) holdSame(typeof cost === "number" ? maxCost : { amount: maxCost }, cost, "the cost is as was said");
  const expected = isAmount ? others : asked;
  holdSame(rules, { ...below.rules, ...expected }, "rules are those that were given, over the others");
  hold(layOver(read.value, {}) === read.value, "nothing over settings leaves them as they are");
  const stops = attempt(() => checkStops(read.value, ["END", "\u0000"]), [RequestError]);
  return "refusal" in stops ? shorten(stops.refusal.message) : `settings ${Object.keys(rules).join()}`;
}

/**
 * What a llama.cpp server answers to being told that the thinking is over.
 *
 * @type {Target}
 */
export const thinkingControl = {
  name: "thinking-control",
  files: /gateway\/dist\/models\/llama-server\.js$/u,
  seeds: ['{"success":true}', '{"success":"true"}', "null", "[]", "<html>", `{"success":true${" ".repeat(8000)}}`],
  words: ["success", "true", "__proto__"],
  async run(input) {
    const fetch = async () => ({ status: 200, headers: new Headers(), body: cutsOfBytes(input)[1] });
    const control = createThinkingControl(
      { id: "a", baseUrl: "http://a/", format: openaiChat },
      /** @type {import("fullstop/engines").Fetch} */ (/** @type {unknown} */ (fetch)),
    );
    const isDone = await control.endThinking("x", "m", new AbortController().signal);
    const value = jsonOf(new TextDecoder().decode(input));
    const expected = typeof value === "object" && value !== null && "success" in value && value.success === true;
    holdSame(isDone, expected, "only who says so has ended the thinking");
    return String(isDone);
  },
};
