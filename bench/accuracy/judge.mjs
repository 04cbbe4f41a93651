// @ts-check
import { NEAREST, meaningOf } from "./vocabulary.mjs";

/** @typedef {import("fullstop").TerminationReason} Reason */
/** @typedef {import("./subjects.mjs").SubjectName} SubjectName */
/** @typedef {import("./synthetic/case.mjs").AccuracyCase} AccuracyCase */

/**
 * What an answer was worth: the right word or the nearest that there is; no claim, where there was something to be
 * said; or another ending than the one that was.
 *
 * @typedef {"right" | "vague" | "wrong" | "not offered"} Grade
 */

/**
 * @typedef {object} Judgement
 * @property {Grade} grade
 * @property {Reason | undefined} reported
 * @property {boolean} isFalseSuccess Whether an answer that is not whole was reported as one that is.
 */

/** Endings after which a program takes an answer for whole. @type {ReadonlySet<Reason>} */
const SUCCESSES = new Set(["natural_completion", "stop_sequence", "tool_calls"]);

/** Endings that claim nothing but that something is not as it should be. @type {ReadonlySet<Reason>} */
const VAGUE = new Set(["unknown", "error_termination"]);

/**
 * Judges what somebody said about a case. Whoever has fewer words than fullstop is right with the nearest one, and an
 * error that is thrown counts as the word for an error.
 *
 * @param {SubjectName} subject
 * @param {AccuracyCase} asked
 * @param {import("./outcome.mjs").Answer} answer
 * @returns {Judgement}
 */
export function judge(subject, asked, answer) {
  if (answer === "not offered") return { grade: "not offered", reported: undefined, isFalseSuccess: false };
  const readings = readingsOf(subject, answer);
  const isRight = (/** @type {Reason} */ reading) =>
    reading === asked.expected || (subject !== "fullstop" && isNearest(asked, reading));
  const right = readings.find((reading) => reading === asked.expected) ?? readings.find(isRight);
  if (right !== undefined) return { grade: "right", reported: right, isFalseSuccess: false };
  const [reported] = readings;
  const isFalseSuccess = SUCCESSES.has(reported) && !SUCCESSES.has(asked.expected);
  return { grade: VAGUE.has(reported) ? "vague" : "wrong", reported, isFalseSuccess };
}

/**
 * What an outcome can be read as: by its word, and where that is a natural end also by what lies beside it, since a
 * program may look at the calls and at the refusal.
 *
 * @param {SubjectName} subject
 * @param {import("./outcome.mjs").Outcome} outcome
 * @returns {readonly [Reason, ...Reason[]]}
 */
function readingsOf(subject, { word, error, calls, isRefused }) {
  if (error !== undefined) return ["error_termination"];
  const reason = meaningOf(subject, word);
  if (reason !== "natural_completion") return [reason];
  return [reason, ...(isRefused ? [REFUSED] : []), ...(calls > 0 ? [CALLED] : [])];
}

/** @type {Reason} */
const REFUSED = "content_filtered";
/** @type {Reason} */
const CALLED = "tool_calls";

/**
 * @param {AccuracyCase} asked
 * @param {Reason} reported
 */
function isNearest({ expected, said, status, alsoRight }, reported) {
  // A request that was refused is an error to every client, whatever it was refused for.
  if (status >= 400 && reported === "error_termination") return true;
  if (reported === said || alsoRight.includes(reported)) return true;
  return NEAREST.find((nearest) => nearest.expected === expected)?.alsoRight.includes(reported) ?? false;
}
