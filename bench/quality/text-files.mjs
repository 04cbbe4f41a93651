// @ts-check
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { gunzipSync } from "node:zlib";

/**
 * @typedef {object} TextFile
 * @property {string} path
 * @property {string} text
 *
 * @typedef {object} Root
 * @property {string} directory
 * @property {ReadonlySet<string>} [extensions] Which files count; all of them when absent.
 */

/** Why a file does not take part. */
export const SKIP_REASONS = {
  binary: "binary: images, archives, anything with a zero byte",
  pages: "PostScript and PDF: page descriptions, which no model writes",
  sourceMap: "source maps: generated tables of offsets, which no model writes",
  duplicate: "byte for byte the same as a file already taken",
  short: "shorter than a document",
  link: "links: what they point to is found in its own place",
  unreadable: "could not be read",
  enough: "beyond the limit of this run",
};

/** @typedef {keyof typeof SKIP_REASONS} SkipReason */

/**
 * Reads every text file below the roots, in the order of their paths, one at a time: all of them together would not
 * fit into memory comfortably.
 *
 * @param {readonly Root[]} roots
 * @param {number} shortest In characters.
 * @param {(reason: SkipReason, path: string, bytes: number) => void} onSkip
 * @returns {Generator<TextFile, void, void>}
 */
export function* readTextFiles(roots, shortest, onSkip) {
  /** @type {Set<string>} */
  const seen = new Set();
  for (const { directory, extensions } of roots) {
    for (const path of pathsBelow(directory, extensions, onSkip)) {
      const bytes = readBytes(path);
      if (bytes === undefined) {
        onSkip("unreadable", path, 0);
        continue;
      }
      const reason = reasonToSkip(bytes, seen);
      const text = reason === undefined ? decode(bytes) : "";
      if (reason !== undefined) onSkip(reason, path, bytes.length);
      else if (text.length < shortest) onSkip("short", path, bytes.length);
      else yield { path, text };
    }
  }
}

/**
 * @param {string} directory
 * @param {ReadonlySet<string> | undefined} extensions
 * @param {(reason: SkipReason, path: string, bytes: number) => void} onSkip
 * @returns {Generator<string, void, void>}
 */
function* pathsBelow(directory, extensions, onSkip) {
  const entries = readdirSync(directory, { withFileTypes: true });
  for (const entry of entries.toSorted((first, second) => (first.name < second.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* pathsBelow(path, extensions, onSkip);
    else if (entry.name.endsWith(".map")) onSkip("sourceMap", path, statSync(path).size);
    else if (extensions !== undefined && !extensions.has(extname(entry.name))) continue;
    else if (entry.isSymbolicLink()) onSkip("link", path, 0);
    else if (entry.isFile()) yield path;
  }
}

/**
 * @param {string} path
 * @returns {Buffer | undefined}
 */
function readBytes(path) {
  try {
    const bytes = readFileSync(path);
    return path.endsWith(".gz") ? gunzipSync(bytes) : bytes;
  } catch {
    return undefined;
  }
}

/**
 * @param {Buffer} bytes
 * @param {Set<string>} seen Digests of the files already taken; this one's is added.
 * @returns {SkipReason | undefined}
 */
function reasonToSkip(bytes, seen) {
  if (bytes.includes(0)) return "binary";
  const head = bytes.subarray(0, 1024).toString("latin1");
  // Both may begin with a few bytes of printer control.
  if (/%!PS|%PDF-/u.test(head)) return "pages";
  if (/^\s*\{\s*"version"\s*:\s*3\s*,[^]*"(?:sources|mappings)"/u.test(head)) {
    return "sourceMap";
  }
  const digest = createHash("sha1").update(bytes).digest("base64");
  if (seen.has(digest)) return "duplicate";
  seen.add(digest);
  return undefined;
}

/**
 * Older manuals are not in UTF-8; in Latin-1 every byte is a character, so that nothing is lost.
 *
 * @param {Buffer} bytes
 * @returns {string}
 */
function decode(bytes) {
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") ? bytes.toString("latin1") : text;
}
