// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readMarkdown } from "../corpus.mjs";
import { LEGEND } from "../report.mjs";
import { SECTIONS, STOPS } from "./catalogue.mjs";
import { judgeCommandLine } from "./verdicts.mjs";

const NODE_MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const TEXT_BYTES = 200_000_000;

/** By what is measured: a text that goes through, or a start. */
const ROUNDS = { long: { MB: 8, start: 20 }, short: { MB: 3, start: 10 } };

/**
 * The benchmark of `fullstop pipe`, beside `cat` and beside the filter that one would write by hand, and of the start
 * of the command line. Each run is a pipeline of processes, as in a shell; nothing is warm.
 *
 * @param {import("../parts.mjs").Surroundings} surroundings
 * @returns {Promise<import("../parts.mjs").Findings>}
 */
export async function runPipeBenchmark({ directory, sampling, showProgress }) {
  console.log(`${TEXT_BYTES / 1e6} MB of Markdown\n${LEGEND}\n`);
  const texts = writeTexts(directory);
  /** @type {Map<string, {samples: number[]}>} */
  const measurements = new Map();
  for (const section of SECTIONS) {
    const rounds = ROUNDS[sampling][section.entries[0]?.per === "MB" ? "MB" : "start"];
    for (let round = 0; round < rounds; round++) {
      showProgress(`${section.title}: round ${round + 1} of ${rounds}`);
      for (const { id, program, input } of section.entries) {
        const milliseconds = await time(program, input === "nothing" ? undefined : texts[input]);
        const nanoseconds = (milliseconds * 1e6) / (input === "nothing" ? 1 : TEXT_BYTES / 1e6);
        measurements.set(id, { samples: [...(measurements.get(id)?.samples ?? []), nanoseconds] });
      }
    }
  }
  const verdicts = judgeCommandLine(measurements);
  return { sections: SECTIONS, measurements, verdicts, remarks: "", others: { textBytes: TEXT_BYTES, stops: STOPS } };
}

/**
 * Writes the texts that go through the pipes.
 *
 * @param {string} directory
 * @returns {{plain: string, mixed: string}}
 */
function writeTexts(directory) {
  const markdown = readMarkdown(NODE_MODULES);
  const plain = markdown.replaceAll(/[^\n -~]/gu, "");
  // A tenth of each passage in other letters than ours.
  const mixed = markdown.replaceAll(/[^\n]{900}/gu, (part) => `${part} Привет, 世界! Grüße an alle 👋 — до скорого.`);
  const write = (/** @type {string} */ name, /** @type {string} */ text) => {
    const file = join(directory, name);
    const bytes = Buffer.from(text);
    const handle = openSync(file, "w");
    for (let written = 0; written < TEXT_BYTES; written += bytes.length) {
      writeSync(handle, bytes.subarray(0, TEXT_BYTES - written));
    }
    closeSync(handle);
    return file;
  };
  return { plain: write("plain.txt", plain), mixed: write("mixed.txt", mixed) };
}

/**
 * How long a program takes, as a part of a pipeline if it has a text.
 *
 * @param {readonly string[]} program
 * @param {string | undefined} file
 * @returns {Promise<number>}
 */
async function time(program, file) {
  const script = file === undefined ? '"$@" > /dev/null' : 'cat "$0" | "$@" | cat > /dev/null';
  const start = performance.now();
  const child = spawn("sh", ["-c", script, file ?? "sh", ...program], { stdio: ["ignore", "ignore", "inherit"] });
  await once(child, "exit");
  return performance.now() - start;
}
