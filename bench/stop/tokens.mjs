// @ts-check
import { readFileSync } from "node:fs";

/**
 * Text as a model delivers it, piece by piece. A piece is one token, except where a character is spread over
 * several tokens: those arrive together, as every server does it.
 *
 * @typedef {object} Tokens
 * @property {readonly string[]} texts
 * @property {readonly number[][]} ids The token ids of each piece.
 */

/**
 * Reads tokens back from a file. Strings that come out of JSON are flat and on their own, as those of a real stream
 * are: no ropes, no slices.
 *
 * @param {string} file
 * @returns {Tokens}
 */
export function readTokens(file) {
  /** @type {unknown} */
  const value = JSON.parse(readFileSync(file, "utf8"));
  if (!isTokens(value)) throw new Error(`${file} holds no tokens`);
  return value;
}

/**
 * So many of the tokens, from the start again where there are not enough.
 *
 * @param {Tokens} tokens
 * @param {number | undefined} count All, if undefined.
 * @returns {Tokens}
 */
export function takeTokens(tokens, count) {
  if (count === undefined) return tokens;
  const { texts, ids } = tokens;
  return {
    texts: Array.from({ length: count }, (_, index) => texts[index % texts.length] ?? ""),
    ids: Array.from({ length: count }, (_, index) => ids[index % ids.length] ?? []),
  };
}

/**
 * @param {unknown} value
 * @returns {value is Tokens}
 */
function isTokens(value) {
  if (typeof value !== "object" || value === null || !("texts" in value) || !("ids" in value)) return false;
  return Array.isArray(value.texts) && Array.isArray(value.ids);
}
