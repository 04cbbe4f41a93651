// @ts-check

/**
 * What is measured: given its options and the tokens, a subject prepares whatever a program would prepare once,
 * and returns a pass, which starts afresh and takes all the tokens.
 *
 * @typedef {(options: SubjectOptions, tokens: import("./tokens.mjs").Tokens) => Pass | Promise<Pass>} Subject
 */

/**
 * What a subject may be told. Each takes what concerns it.
 *
 * @typedef {object} SubjectOptions
 * @property {import("fullstop").StopRuleOptions} [rules] For our own guard.
 * @property {boolean} [passIds] Whether our guard is given token ids too.
 * @property {readonly string[]} [stops] The stop strings of a peer.
 * @property {boolean} [secondDetector] Whether node-llama-cpp's second detector runs along.
 * @property {PlainSettings} [settings] The plain repetition settings.
 * @property {"in place" | "slices"} [compare] How the plain algorithm compares two stretches of text.
 *
 * @typedef {object} PlainSettings
 * @property {number} minPatternLength
 * @property {number} maxPatternLength
 * @property {number} minRepetitions
 * @property {number} windowSize
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
