// @ts-check
import { judge, judgeRatio, ratioOf } from "../verdicts.mjs";
import { CHAT_TO_CHAT, CHAT_TO_MESSAGES, HERE, MESSAGES_TO_CHAT, idOf } from "./catalogue.mjs";

/**
 * @typedef {import("../verdicts.mjs").Verdict} Verdict
 * @typedef {import("./catalogue.mjs").Task} Task
 * @typedef {import("./questions.mjs").Route} Route
 * @typedef {import("./subjects.mjs").SubjectName} SubjectName
 */

const MEMORY_STREAMS = 500;
/** The most memory with so many streams open, in mebibytes. */
const MOST_MEMORY = 160;

const OWN_WORK =
  "the bare proxy translates nothing, applies no rule and keeps no generation that could be stopped or followed";
const AS_STREAMS =
  "it reads a stream of the provider even then, event by event, because its rules end answers on the way";

/**
 * Holds the figures against what was promised of the gateway.
 *
 * @param {import("../interleave.mjs").Measurements} measurements
 * @param {import("./growth.mjs").GrowthFigures} growth
 * @returns {readonly Verdict[]}
 */
export function judgeGateway(measurements, growth) {
  /**
   * How many times the time of one subject another takes on the same route.
   *
   * @param {Task["kind"]} kind
   * @param {Route} route
   * @param {string} first
   * @param {string} second
   */
  const compare = (kind, route, first, second) =>
    ratioOf(measurements.get(idOf(kind, route, first)), measurements.get(idOf(kind, route, second)));
  /**
   * A promise is held against the figures of the Node that all run on; what this one says is told with them.
   *
   * @param {string} promise
   * @param {Parameters<typeof compare>} compared
   * @param {import("../verdicts.mjs").Limit} limit
   * @param {string} whenMissed
   * @returns {Verdict}
   */
  const judgeOnBoth = (promise, [kind, route, first, second], limit, whenMissed) => {
    const verdict = judgeRatio(promise, compare(kind, route, first, second), limit, whenMissed);
    const here = compare(kind, route, `${first}-here`, `${second}-here`);
    return here === undefined ? verdict : { ...verdict, found: `${verdict.found}; ${times(here)} on ${HERE}` };
  };
  const toBare = (/** @type {string} */ promise, /** @type {Route} */ route) =>
    judgeOnBoth(
      `a chunk, ${promise}: at most 1.5 x the bare proxy's processor time`,
      ["stream", route, "fullstop", "bare"],
      { atMost: 1.5 },
      OWN_WORK,
    );
  const fromPortkey = (/** @type {string} */ promise, /** @type {Route} */ route) =>
    judgeOnBoth(
      `whole answers, ${promise}: 6 x Portkey's requests a second`,
      ["whole", route, "portkey", "fullstop"],
      { atLeast: 6 },
      `${AS_STREAMS}; the bare proxy comes to ${times(compare("whole", route, "portkey", "bare"))}`,
    );
  return [
    judgeOnBoth(
      "a chunk, Chat in front of Messages: at most 1/3 of Portkey's processor time",
      ["stream", CHAT_TO_MESSAGES, "fullstop", "portkey"],
      { atMost: 1 / 3 },
      `the bare proxy, which only parses, takes ${times(compare("stream", CHAT_TO_MESSAGES, "bare", "portkey"))} of it already`,
    ),
    toBare("Chat in front of Messages", CHAT_TO_MESSAGES),
    toBare("Messages in front of Chat", MESSAGES_TO_CHAT),
    toBare("Chat on both sides", CHAT_TO_CHAT),
    fromPortkey("Chat in front of Messages", CHAT_TO_MESSAGES),
    fromPortkey("Chat on both sides", CHAT_TO_CHAT),
    judgeMemory(growth),
  ];
}

/**
 * @param {import("../verdicts.mjs").Ratio | undefined} ratio
 * @returns {string}
 */
function times(ratio) {
  return `${ratio?.median.toFixed(2) ?? "?"} x`;
}

/**
 * @param {import("./growth.mjs").GrowthFigures} growth
 * @returns {Verdict}
 */
function judgeMemory(growth) {
  const promise = `${MEMORY_STREAMS} streams at once: at most ${MOST_MEMORY} MiB`;
  const peakOf = (/** @type {SubjectName} */ name) =>
    growth[name]?.find(({ streams }) => streams === MEMORY_STREAMS)?.peakMebibytes;
  const [peak, here, bare] = [peakOf("fullstop"), peakOf("fullstop-here"), peakOf("bare")];
  if (peak === undefined) return { promise, found: "no figure", outcome: "not measured" };
  const onThisNode = here === undefined ? "" : `; ${here.toFixed(0)} MiB on ${HERE}`;
  return judge(
    promise,
    `${peak.toFixed(0)} MiB at most${onThisNode}`,
    peak <= MOST_MEMORY,
    `a newer Node collects later: the bare proxy has ${bare?.toFixed(0) ?? "?"} MiB there`,
  );
}
