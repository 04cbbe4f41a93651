// @ts-check
import { createRandom } from "../random.mjs";

/** Stop strings as people set them: a closing tag, the next speaker, a control token, a word. */
export const FOUR_STOPS = ["</answer>", "\nUser:", "<|im_end|>", "STOP!!"];

/** The longest way to be almost there: every `a` could belong to it. */
export const SELF_SIMILAR_STOP = `${"a".repeat(64)}b`;

/**
 * Strings of the same kind as the usual single one. They begin alike, and seldom anything in the text does.
 *
 * @param {number} count
 * @returns {string[]}
 */
export function closingTags(count) {
  return Array.from({ length: count }, (_, index) => `</answer-${String(index).padStart(5, "0")}>`);
}

/**
 * The worst kind: random words of ten lower-case letters. From a few hundred on, nearly every token ends in the
 * beginning of one of them.
 *
 * @param {number} count
 * @returns {string[]}
 */
export function randomWords(count) {
  const random = createRandom(count);
  const letter = () => String.fromCharCode(97 + Math.floor(random() * 26));
  return Array.from({ length: count }, () => Array.from({ length: 10 }, letter).join(""));
}
