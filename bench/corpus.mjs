// @ts-check
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createTextGuard, defineStopRules } from "fullstop";
import { decode, encode } from "gpt-tokenizer";

/** Enough for every kind of Markdown to occur, and little enough to be read many times in one round. */
const CORPUS_CHARACTERS = 400_000;

/**
 * Reads the README files below a directory, in the order of their paths, up to the size of the corpus.
 *
 * @param {string} directory
 * @returns {string}
 */
export function readMarkdown(directory) {
  let text = "";
  for (const path of readmePaths(directory)) {
    if (text.length >= CORPUS_CHARACTERS) break;
    text += readFileSync(path, "utf8");
  }
  // The tokenizer refuses text that spells its control tokens, all of which begin like this.
  return text.slice(0, CORPUS_CHARACTERS).toWellFormed().replaceAll("<|", "<¦");
}

/**
 * @param {string} directory
 * @returns {string[]}
 */
function readmePaths(directory) {
  /** @type {string[]} */
  const paths = [];
  // Links are not followed: the workspace's own packages are linked in here and change from commit to commit.
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) paths.push(...readmePaths(path));
    else if (entry.isFile() && entry.name === "README.md") paths.push(path);
  }
  return paths.sort();
}

/**
 * @param {string} text
 * @returns {import("./stop/tokens.mjs").Tokens}
 */
export function tokenize(text) {
  /** @type {string[]} */
  const texts = [];
  /** @type {number[][]} */
  const ids = [];
  /** @type {number[]} */
  let pending = [];
  for (const id of encode(text)) {
    pending.push(id);
    const piece = decode(pending);
    if (piece.endsWith("\ufffd") && pending.length < 4) continue;
    texts.push(piece);
    ids.push(pending);
    pending = [];
  }
  return { texts, ids };
}

/**
 * The text without the lines in which the given plain repetition settings find a loop: in Markdown mostly table
 * borders and rules. A detector that has fired has nothing more to do, so it can be timed only on text in which it
 * does not fire.
 *
 * @param {string} text
 * @param {readonly import("fullstop").RepetitionSettings[]} settings
 * @returns {{text: string, droppedLines: number, lines: number}}
 */
export function dropLoops(text, settings) {
  const lines = text.split(/(?<=\n)/u);
  let kept = lines;
  for (const repetition of settings) {
    const rules = defineStopRules({ repetition });
    // Dropping a line can join two others into a new loop, so it is done until nothing is found any more.
    for (let before = -1; before !== kept.length;) {
      before = kept.length;
      let guard = createTextGuard(rules);
      kept = kept.filter((line) => {
        guard.push(line);
        if (guard.signal === undefined) return true;
        guard = createTextGuard(rules);
        return false;
      });
    }
  }
  return { text: kept.join(""), droppedLines: lines.length - kept.length, lines: lines.length };
}
