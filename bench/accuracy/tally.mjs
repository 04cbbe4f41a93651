// @ts-check
import { judge } from "./judge.mjs";

/** @typedef {import("./subjects.mjs").SubjectName} SubjectName */
/** @typedef {import("./synthetic/case.mjs").AccuracyCase} AccuracyCase */
/** @typedef {import("./outcome.mjs").Answer} Answer */

/**
 * What somebody made of a set of cases.
 *
 * @typedef {object} Tally
 * @property {number} right
 * @property {number} vague
 * @property {number} wrong
 * @property {number} notOffered
 * @property {number} falseSuccesses
 * @property {Record<string, Record<string, number>>} confusion How often what was reported, by what was expected.
 */

/**
 * @param {SubjectName} subject
 * @param {readonly AccuracyCase[]} cases
 * @param {readonly Answer[]} answers
 * @returns {Tally}
 */
export function tally(subject, cases, answers) {
  /** @type {Tally} */
  const sum = { right: 0, vague: 0, wrong: 0, notOffered: 0, falseSuccesses: 0, confusion: {} };
  for (const [index, asked] of cases.entries()) {
    const { grade, reported, isFalseSuccess } = judge(subject, asked, answers[index] ?? "not offered");
    if (grade === "not offered") sum.notOffered += 1;
    else sum[grade] += 1;
    if (isFalseSuccess) sum.falseSuccesses += 1;
    if (reported === undefined) continue;
    const row = (sum.confusion[asked.expected] ??= {});
    row[reported] = (row[reported] ?? 0) + 1;
  }
  return sum;
}

/**
 * The cases that somebody did not get right, one by one. Of recorded ones only the synthetic name may be told.
 *
 * @param {SubjectName} subject
 * @param {readonly AccuracyCase[]} cases
 * @param {readonly Answer[]} answers
 */
export function listMisses(subject, cases, answers) {
  return cases.flatMap((asked, index) => {
    const answer = answers[index] ?? "not offered";
    const { grade, reported } = judge(subject, asked, answer);
    if (grade === "right" || grade === "not offered" || answer === "not offered") return [];
    const word = answer.error === undefined ? (answer.word ?? "nothing") : "an error";
    return [{ name: asked.name, grade, expected: asked.expected, reported, word }];
  });
}
