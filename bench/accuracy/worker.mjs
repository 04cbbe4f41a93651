// @ts-check
import { failed } from "./outcome.mjs";
import { SUBJECTS } from "./subjects.mjs";

/**
 * What a worker is told: whom to ask, and what.
 *
 * @typedef {object} Assignment
 * @property {import("./subjects.mjs").SubjectName} subject
 * @property {readonly import("./outcome.mjs").Question[]} questions
 */

/** Whoever has said nothing by then never will: the server answers at once. */
const PATIENCE_MILLISECONDS = 15_000;

// Some clients reject a promise that nobody has asked for, beside the one that is read.
process.on("unhandledRejection", () => undefined);

process.once("message", (/** @type {Assignment} */ { subject, questions }) => {
  answerAll(subject, questions).then(
    (answers) => process.send?.(answers, () => process.exit()),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});

/**
 * @param {import("./subjects.mjs").SubjectName} name
 * @param {readonly import("./outcome.mjs").Question[]} questions
 */
async function answerAll(name, questions) {
  const subject = await SUBJECTS[name].open();
  const answers = [];
  for (const question of questions) answers.push(await Promise.race([subject.ask(question), silence()]));
  await subject.close();
  return answers;
}

/** @returns {Promise<import("./outcome.mjs").Outcome>} */
function silence() {
  return new Promise((resolve) => {
    setTimeout(() => resolve(failed(`nothing for ${PATIENCE_MILLISECONDS / 1000} s`)), PATIENCE_MILLISECONDS).unref();
  });
}
