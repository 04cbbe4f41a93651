// @ts-check
import { readHistoryQuery } from "../../packages/gateway/dist/generations/history.js";
import { hold, holdSame, jsonOf, sections } from "../oracle.mjs";
import { ENDED, RUNNING, SECRETS, eventsOf, talk, world } from "./gateway-world.mjs";
import { HEADER_WORDS, checkAnswer, readAnswers, writeRequest } from "./http.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */
/** @typedef {import("./http.mjs").Answer} Answer */

/** Who may know of what, by the key that a request brings. */
const VISITORS = new Map([
  ["a", "alice"],
  ["b", "bob"],
]);

/**
 * @param {Buffer} request As it stands on the wire.
 * @returns {string} The name of whoever asks, `olga` for the operator and nothing for strangers.
 */
function visitorOf(request) {
  const head = (request.toString("latin1").split("\r\n\r\n")[0] ?? "").replaceAll("\r", "");
  const key = /^authorization:[ \t]*bearer +(?<key>\S+)[ \t]*$/imu.exec(head)?.groups?.["key"];
  const other = /^x-api-key:[ \t]*(?<key>\S+)[ \t]*$/imu.exec(head)?.groups?.["key"];
  const found = key ?? other ?? "";
  return found === "o" ? "olga" : (VISITORS.get(found) ?? "");
}

/**
 * The addresses at which generations are seen and stopped.
 *
 * @type {Target}
 */
export const stopApi = {
  name: "gateway-stop-api",
  files:
    /gateway\/dist\/(?:generations\/(?:stop-routes|live-routes|history|find-own|summary|send-events|live-feed|view)|doors\/response-routes)\.js$/u,
  seeds: [
    "GET /v1/generations\nauthorization: Bearer a",
    "GET /v1/generations?state=ended&limit=2\nx-api-key: o\n%%\nGET /v1/generations?state=ended&before=gen-a3\nx-api-key: a",
    "GET /v1/generations?state=ended&before=@1767225607000&limit=1\nx-api-key: b",
    "GET /v1/generations/gen-a1\nx-api-key: a\n%%\nDELETE /v1/generations/gen-a1\nx-api-key: a",
    'POST /v1/generations/live-a/stop\nx-api-key: a\n\n{"mode":"finish-sentence","reason":"because"}',
    'POST /v1/generations/live-b/stop\nx-api-key: a\n\n{"mode":"skip-thinking"}',
    "GET /v1/generations/gen-b1/events?from=2\nx-api-key: b",
    "GET /v1/generations/gen-b1/events\nx-api-key: b\nlast-event-id: 4",
    "GET /v1/generations/live-a/events?from=1&held=true\nx-api-key: o",
    "GET /v1/generations/live\nx-api-key: b",
    'POST /v1/generations/stop\nx-api-key: o\n\n{"owner":"bob"}',
    "GET /v1/responses/resp_a2?stream=true&starting_after=2\nx-api-key: a\n%%\nPOST /v1/responses/live-a/cancel\nx-api-key: a",
    "GET /v1/responses/resp_a2\nx-api-key: a\n%%\nDELETE /v1/responses/resp_a2\nx-api-key: a",
  ],
  words: [
    ...HEADER_WORDS,
    ...ENDED.map(({ id }) => id),
    ...RUNNING.map(({ id }) => id),
    ..."\n%%\n|GET /v1/generations|POST |DELETE |/stop|/events|/live|?state=ended|?state=running|&limit=|&before=".split(
      "|",
    ),
    ..."?from=|&from=|?held=true|last-event-id: 2|mode|reason|owner|skip-thinking|finish-sentence|%20|%00|@1767225600000".split(
      "|",
    ),
    ..."/v1/responses/|/cancel|?stream=true|starting_after=|&|=|-1|1e3|0x2|[]|NaN|Infinity".split("|"),
  ],
  async run(input) {
    await world.reset();
    const written = sections(input).slice(0, 3);
    /** @type {Set<string>} */
    const visitors = new Set();
    const words = [];
    for (const each of written) {
      const request = writeRequest(each);
      if (request === undefined) continue;
      const visitor = visitorOf(request);
      visitors.add(visitor);
      const answers = readAnswers(await talk(world, [request]));
      holdSame(answers.length, 1, "a request has one answer");
      for (const answer of answers) {
        checkAnswer(answer);
        checkPrivacy(visitor, answer);
        await checkContent(each, visitor, answer);
        words.push(answer.status);
      }
    }
    await checkStore(visitors);
    holdSame(world.storeFailures.splice(0), [], "the store never fails");
    return words.join();
  },
};

/**
 * Nobody hears of what is somebody else's. Ids may be in an answer because they were in the question.
 *
 * @param {string} visitor
 * @param {Answer} answer
 */
function checkPrivacy(visitor, { status, body }) {
  for (const [owner, secret] of Object.entries(SECRETS)) {
    if (visitor === "olga" || visitor === owner) continue;
    hold(!body.includes(secret), "nobody reads what was written for somebody else", { visitor, body });
    hold(!body.includes(`"owner":"${owner}"`) || status >= 400, "nor learns whose anything is", { visitor, body });
  }
}

/**
 * Holds what is told of generations to what is in the store, as somebody would look it up by hand.
 *
 * @param {string} written
 * @param {string} visitor
 * @param {Answer} answer
 * @returns {Promise<void>}
 */
async function checkContent(written, visitor, { status, body, isWhole }) {
  if (status !== 200) return;
  const [method = "", address = ""] = (written.split("\n")[0] ?? "").split(" ");
  if (method !== "GET") return;
  const url = new URL(address, "http://a");
  const events = /^\/v1\/generations\/(?<id>gen-\w+)\/events$/u.exec(url.pathname)?.groups?.["id"];
  const known = ENDED.find(({ id }) => id === events);
  if (known !== undefined) {
    const told = body.split("\n\n").filter((each) => each.startsWith("id: "));
    const first = Number(/^id: (?<id>\d+)/u.exec(told[0] ?? "")?.groups?.["id"] ?? 1) - 1;
    const expected = eventsOf(known.id, known.owner)
      .slice(first)
      .map((event, index) => `id: ${first + index + 1}\ndata: ${JSON.stringify(event)}`);
    holdSame(told, expected, "the events are those of the store, up to the last");
    hold(isWhole, "a stream that has ended is whole");
  }
  if (url.pathname !== "/v1/generations" || url.searchParams.get("state") !== "ended") return;
  const page = /** @type {{ generations: { id: string }[], next: string | null }} */ (jsonOf(body));
  const ids = page.generations.map(({ id }) => id);
  const all = [...ENDED, ...RUNNING].filter(({ owner }) => visitor === "olga" || owner === visitor);
  const inOrder = (await world.store.ended()).map(({ id }) => id).filter((id) => all.some((each) => each.id === id));
  inOrder.reverse();
  holdSame(ids, inOrder.slice(inOrder.indexOf(ids[0] ?? "")).slice(0, ids.length), "a page is a piece of the history");
  const { limit } = readHistoryQuery(Object.fromEntries(url.searchParams));
  hold(ids.length <= limit, "a page is no longer than was asked for", ids.length);
  const isLast = ids.length === 0 || ids.at(-1) === inOrder.at(-1);
  hold(isLast || page.next !== null, "a page that is not the last says where the next one is", page);
}

/**
 * What is somebody's is as it was, unless they, or an operator, have asked.
 *
 * @param {ReadonlySet<string>} visitors
 */
async function checkStore(visitors) {
  for (const { id, owner } of ENDED) {
    if (visitors.has(owner) || visitors.has("olga")) continue;
    const events = await world.store.read(id, 0);
    holdSame(events, eventsOf(id, owner), "nobody changes what is somebody else's");
  }
}
