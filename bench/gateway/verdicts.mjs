// @ts-check
import { judgeRatio, ratioOf } from "../verdicts.mjs";
import { CHAT_TO_CHAT, CHAT_TO_MESSAGES, MESSAGES_TO_CHAT, idOf } from "./catalogue.mjs";

/**
 * @typedef {import("../verdicts.mjs").Verdict} Verdict
 * @typedef {import("./catalogue.mjs").Task} Task
 * @typedef {import("./questions.mjs").Route} Route
 * @typedef {import("./subjects.mjs").SubjectName} SubjectName
 */

/** The most memory with 500 streams open, in mebibytes. */
const MOST_MEMORY = 160;

/**
 * Holds the figures against what was promised of the gateway.
 *
 * @param {import("../interleave.mjs").Measurements} measurements
 * @param {import("./memory.mjs").MemoryFigures} memory
 * @returns {Verdict[]}
 */
export function judge(measurements, { fullstop }) {
  /**
   * How many times the time of one subject another takes on the same route.
   *
   * @param {Task["kind"]} kind
   * @param {Route} route
   * @param {SubjectName} first
   * @param {SubjectName} second
   */
  const compare = (kind, route, first, second) =>
    ratioOf(measurements.get(idOf(kind, route, first)), measurements.get(idOf(kind, route, second)));
  const toBare = (/** @type {Route} */ route) => compare("stream", route, "fullstop", "bare");
  const fromPortkey = (/** @type {Route} */ route) => compare("whole", route, "portkey", "fullstop");
  return [
    judgeRatio(
      "a chunk, Chat in front of Messages: at most 1/3 of Portkey's processor time",
      compare("stream", CHAT_TO_MESSAGES, "fullstop", "portkey"),
      { atMost: 1 / 3 },
    ),
    judgeRatio("  at most 1.5 x the bare proxy's", toBare(CHAT_TO_MESSAGES), { atMost: 1.5 }),
    judgeRatio("Messages in front of Chat: the same", toBare(MESSAGES_TO_CHAT), { atMost: 1.5 }),
    judgeRatio("Chat on both sides: the same", toBare(CHAT_TO_CHAT), { atMost: 1.5 }),
    judgeRatio("Chat in front of Messages, whole: 6 x Portkey's requests a second", fromPortkey(CHAT_TO_MESSAGES), {
      atLeast: 6,
    }),
    judgeRatio("Chat on both sides, whole: the same", fromPortkey(CHAT_TO_CHAT), { atLeast: 6 }),
    {
      promise: "500 streams at once: at most 160 MiB",
      found: `${fullstop.peak.toFixed(0)} MiB at most`,
      outcome: fullstop.peak <= MOST_MEMORY ? "met" : "missed",
    },
  ];
}
