// @ts-check
import { serveRounds } from "../rounds.mjs";
import { readTokens, takeTokens } from "./tokens.mjs";

/** The process of one subject. Modules are loaded on demand, so that no subject shares its process with another's code. */
const SUBJECTS = {
  textGuard: async () => (await import("./subjects/text-guard.mjs")).textGuard,
  rollingBuffer: async () => (await import("./subjects/rolling-buffer.mjs")).rollingBuffer,
  minimalRollingBuffer: async () => (await import("./subjects/minimal-rolling-buffer.mjs")).minimalRollingBuffer,
  wholeText: async () => (await import("./subjects/whole-text.mjs")).wholeText,
  nodeLlamaCpp: async () => (await import("./subjects/node-llama-cpp.mjs")).nodeLlamaCpp,
  plainRepetition: async () => (await import("./subjects/plain-repetition.mjs")).plainRepetition,
  reasoningSplitter: async () => (await import("./subjects/event-stages.mjs")).reasoningSplitter,
  generation: async () => (await import("./subjects/event-stages.mjs")).generation,
  compile: async () => (await import("./subjects/compile.mjs")).compile,
};

/**
 * @typedef {keyof typeof SUBJECTS} SubjectName
 *
 * @typedef {object} Task
 * @property {SubjectName} subject
 * @property {import("./subject.mjs").SubjectOptions} options
 * @property {string} tokensFile
 * @property {number} [count] How many of the tokens; all, if not given.
 */

serveRounds(prepare);

/**
 * @param {Task} task
 * @returns {Promise<import("../rounds.mjs").Work<import("./subject.mjs").PassResult>>}
 */
async function prepare({ subject: name, options, tokensFile, count }) {
  const tokens = takeTokens(readTokens(tokensFile), count);
  const subject = await SUBJECTS[name]();
  const pass = await subject(options, tokens);
  const isCold = name === "compile";
  return { pass, check: (result) => checkOutput(result, tokens), items: isCold ? 1 : tokens.texts.length, isCold };
}

/**
 * @param {import("./subject.mjs").PassResult} result
 * @param {import("./tokens.mjs").Tokens} tokens
 */
function checkOutput({ shown, unit }, { texts, ids }) {
  if (unit === "nothing") return;
  const expected = (unit === "tokens" ? ids : texts).reduce((total, piece) => total + piece.length, 0);
  if (shown !== expected) throw new Error(`showed ${shown} of ${expected} ${unit}`);
}
