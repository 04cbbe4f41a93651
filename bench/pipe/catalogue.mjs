// @ts-check
import { fileURLToPath } from "node:url";

/** What a program takes in: a text that is written into it, or nothing. */
/** @typedef {"plain" | "mixed" | "nothing"} InputName */

/**
 * A program to be measured.
 *
 * @typedef {import("../report.mjs").Row & {program: readonly string[], input: InputName}} Entry
 */

const NODE = process.execPath;
const FULLSTOP = fileURLToPath(new URL("../../packages/gateway/bin/fullstop.js", import.meta.url));
const NAIVE = fileURLToPath(new URL("./naive-filter.mjs", import.meta.url));

/** Stop strings as people have them, none of which is in the text. */
export const STOPS = ["</answer>", "<|im_end|>", "\n\nHuman:", "### END"];

const stopOptions = STOPS.flatMap((stop) => ["--stop", stop]);

/**
 * @param {InputName} input
 * @returns {readonly Entry[]}
 */
function filters(input) {
  /** @type {(name: string, label: string, program: readonly string[]) => Entry} */
  const entry = (name, label, program) => ({
    id: `${input}/${name}`,
    label,
    per: "MB",
    program,
    input,
    ...(name !== "cat" && { beside: `${input}/cat` }),
  });
  return [
    entry("cat", "cat", ["cat"]),
    entry("fullstop", "fullstop pipe, four stop strings", [NODE, FULLSTOP, "pipe", "--quiet", ...stopOptions]),
    entry("naive", "a plain Node filter, four stop strings", [NODE, NAIVE, ...STOPS]),
  ];
}

/** @type {readonly import("../report.mjs").Section<Entry>[]} */
export const SECTIONS = [
  {
    title: "Plain text through a pipe",
    note: "ASCII, from cat and to cat; the time from the start of the programs to their end",
    entries: filters("plain"),
  },
  {
    title: "Text of many languages through a pipe",
    note: "UTF-8 of one to four bytes a character",
    entries: filters("mixed"),
  },
  {
    title: "Start",
    note: "what somebody waits for who asks for help",
    entries: [
      { id: "start/node", label: "node -e 0", per: "start", program: [NODE, "-e", "0"], input: "nothing" },
      {
        id: "start/help",
        label: "fullstop --help",
        per: "start",
        program: [NODE, FULLSTOP, "--help"],
        input: "nothing",
        beside: "start/node",
      },
    ],
  },
];
