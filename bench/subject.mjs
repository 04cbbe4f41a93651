// @ts-check

/**
 * What is measured: given its options and the tokens, a subject prepares whatever a program would prepare once,
 * and returns a pass, which starts afresh and takes all the tokens.
 *
 * @template Options
 * @typedef {(options: Options, tokens: import("./corpus.mjs").Tokens) => Pass | Promise<Pass>} Subject
 */

/**
 * Takes all tokens and says how much of them came out again. That is compared with what went in, so that no subject
 * can be fast by losing text or by having stopped.
 *
 * @typedef {() => PassResult | Promise<PassResult>} Pass
 */

/**
 * @typedef {object} PassResult
 * @property {number} shown
 * @property {"characters" | "tokens" | "nothing"} unit What `shown` counts; `nothing` for a subject without output.
 */

/** Thrown by a subject that found something in text in which there is nothing to find. */
export class StoppedEarly extends Error {
  /** @param {string} what */
  constructor(what) {
    super(`stopped early: ${what}`);
  }
}
