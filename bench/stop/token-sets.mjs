// @ts-check
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PERIOD_100, PERIOD_2000, PLAIN_SETTINGS } from "./catalogue.mjs";
import { dropLoops, readMarkdown, tokenize } from "../corpus.mjs";

/**
 * What the benchmark reads, ready for the processes that measure.
 *
 * @typedef {object} TokenSets
 * @property {(name: import("./catalogue.mjs").TokenSetName) => string} fileOf
 * @property {Corpus} corpus
 *
 * @typedef {object} Corpus
 * @property {number} characters
 * @property {number} tokens
 * @property {number} lines
 * @property {number} linesLeftOutForRepetition
 */

/**
 * Makes all sets of tokens and writes them into a directory: done once, and every process reads the same.
 *
 * @param {string} markdownDirectory
 * @param {string} directory
 * @returns {TokenSets}
 */
export function writeTokenSets(markdownDirectory, directory) {
  const markdown = readMarkdown(markdownDirectory);
  const loopFree = dropLoops(markdown, [PLAIN_SETTINGS, PERIOD_100, PERIOD_2000]);
  /** @type {Record<import("./catalogue.mjs").TokenSetName, import("./tokens.mjs").Tokens>} */
  const sets = {
    markdown: tokenize(markdown),
    "loop-free": tokenize(loopFree.text),
    letters: repeatLetters(100_000),
    // node-llama-cpp takes some 50 µs for each of these.
    "few-letters": repeatLetters(2000),
    none: repeatLetters(0),
  };
  const fileOf = (/** @type {string} */ name) => join(directory, `${name}.json`);
  for (const [name, tokens] of Object.entries(sets)) writeFileSync(fileOf(name), JSON.stringify(tokens));
  return {
    fileOf,
    corpus: {
      characters: markdown.length,
      tokens: sets.markdown.texts.length,
      lines: loopFree.lines,
      linesLeftOutForRepetition: loopFree.droppedLines,
    },
  };
}

/**
 * @param {number} count
 * @returns {import("./tokens.mjs").Tokens}
 */
function repeatLetters(count) {
  return { texts: Array.from({ length: count }, () => "aaaa"), ids: Array.from({ length: count }, () => [1]) };
}
