// @ts-check

/** @typedef {import("./synthetic/case.mjs").Dialect} Dialect */

/**
 * A question to somebody who reads answers: the case is behind the address.
 *
 * @typedef {object} Question
 * @property {Dialect} dialect
 * @property {boolean} isStream
 * @property {readonly string[]} tools
 * @property {string} url The root of the case; each client adds its own path.
 */

/**
 * What somebody says about how an answer ended, in words of its own.
 *
 * @typedef {object} Outcome
 * @property {string | undefined} word The word for the ending; nothing if there is none.
 * @property {string | undefined} error What was thrown, or reported as an error in the stream.
 * @property {number} calls How many tool calls the caller is told to run.
 * @property {boolean} isRefused Whether it is told that the model has refused.
 */

/** @typedef {Outcome | "not offered"} Answer */

/**
 * Somebody who reads answers.
 *
 * @typedef {object} Subject
 * @property {(question: Question) => Promise<Answer>} ask
 * @property {() => Promise<void>} close
 */

/** @type {Outcome} */
export const NOTHING = { word: undefined, error: undefined, calls: 0, isRefused: false };

/**
 * An error as an outcome.
 *
 * @param {unknown} error
 * @returns {Outcome}
 */
export function failed(error) {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { ...NOTHING, error: message.split("\n")[0]?.slice(0, 200) ?? "" };
}

/**
 * A value within values of which nothing is known.
 *
 * @param {unknown} value
 * @param {readonly (string | number)[]} path
 * @returns {unknown}
 */
export function at(value, ...path) {
  /** @type {unknown} */
  let place = value;
  for (const step of path) {
    if (typeof place !== "object" || place === null) return undefined;
    place = /** @type {Record<string | number, unknown>} */ (place)[step];
  }
  return place;
}

/**
 * A text of which it is not known whether there is one.
 *
 * @param {unknown} value
 * @returns {string | undefined}
 */
export function textOf(value) {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * How long a list is that may be none.
 *
 * @param {unknown} value
 */
export function countOf(value) {
  return Array.isArray(value) ? value.length : 0;
}
