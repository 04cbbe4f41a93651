// @ts-check
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashBytes } from "./random.mjs";

const FOLDER = join(import.meta.dirname, "corpus");
const encoder = new TextEncoder();

/** Inputs that something was wrong with once. They stay whatever else covers their code. */
const FINDING = "finding-";

/**
 * @typedef {object} KeptInput
 * @property {string} file
 * @property {boolean} isFinding
 * @property {Uint8Array} bytes
 */

/**
 * The inputs that a target starts from.
 *
 * @param {import("./oracle.mjs").Target} target
 * @returns {readonly Uint8Array[]}
 */
export function seedsOf({ seeds }) {
  return seeds.map((seed) => (typeof seed === "string" ? encoder.encode(seed) : new Uint8Array(seed)));
}

/**
 * The inputs that are kept for a target, the smallest first.
 *
 * @param {string} target
 * @returns {readonly KeptInput[]}
 */
export function readCorpus(target) {
  const folder = join(FOLDER, target);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => {
      const file = join(folder, name);
      return { file, isFinding: name.startsWith(FINDING), bytes: new Uint8Array(readFileSync(file)) };
    })
    .sort((one, other) => one.bytes.length - other.bytes.length || (one.file < other.file ? -1 : 1));
}

/**
 * Keeps an input.
 *
 * @param {string} target
 * @param {Uint8Array} bytes
 * @param {"coverage" | "finding"} kind
 * @returns {string} Its file.
 */
export function keepInput(target, bytes, kind) {
  const folder = join(FOLDER, target);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${kind === "finding" ? FINDING : ""}${hashBytes(bytes).toString(16).padStart(8, "0")}`);
  writeFileSync(file, bytes);
  return file;
}

/** @param {KeptInput} input */
export function dropInput({ file }) {
  rmSync(file);
}
