// @ts-check

/**
 * The benchmark of the stop rules, `npm run bench`: fullstop beside what people write by hand, beside
 * node-llama-cpp's own detector and beside the seed's repetition algorithm, all in one run. Prints a table and
 * writes results/stop-rules.json. It reports what it finds; a promise that is missed is printed as missed.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PERIOD_2000, PERIOD_100, SECTIONS, SEED_SETTINGS } from "./catalogue.mjs";
import { dropLoops, readMarkdown, tokenize } from "./corpus.mjs";
import { measure } from "./interleave.mjs";
import { measureMemory } from "./memory.mjs";
import { formatMemory, formatSection, formatVerdicts } from "./report.mjs";
import { summarize } from "./statistics.mjs";
import { judge, ratioOf } from "./verdicts.mjs";

const NODE_MODULES = fileURLToPath(new URL("../node_modules", import.meta.url));
const RESULTS = fileURLToPath(new URL("./results/", import.meta.url));

/**
 * @param {string} progress
 */
function report(progress) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${progress}`);
}

const began = performance.now();
const directory = mkdtempSync(join(tmpdir(), "fullstop-bench-"));
try {
  const markdown = readMarkdown(NODE_MODULES);
  const loopFree = dropLoops(markdown, [SEED_SETTINGS, PERIOD_100, PERIOD_2000]);
  const letters = (/** @type {number} */ count) => ({
    texts: Array.from({ length: count }, () => "aaaa"),
    ids: Array.from({ length: count }, () => [1]),
  });
  /** @type {Record<import("./catalogue.mjs").TokenSetName, import("./corpus.mjs").Tokens>} */
  const tokenSets = {
    markdown: tokenize(markdown),
    "loop-free": tokenize(loopFree.text),
    letters: letters(100_000),
    // node-llama-cpp takes some 100 µs for each of these.
    "few-letters": letters(2000),
    none: letters(0),
  };
  const fileOf = (/** @type {string} */ name) => join(directory, `${name}.json`);
  for (const [name, tokens] of Object.entries(tokenSets)) writeFileSync(fileOf(name), JSON.stringify(tokens));

  const pieces = tokenSets.markdown.texts.length;
  const machine = {
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  };
  console.log(
    `${machine.processor}, ${machine.cores} cores, Node ${machine.node}\n` +
      `${markdown.length.toLocaleString("en")} characters of Markdown in ${pieces.toLocaleString("en")} GPT tokens ` +
      `(${(markdown.length / pieces).toFixed(1)} characters each)\n` +
      `for repetition, ${loopFree.droppedLines} of ${loopFree.lines.toLocaleString("en")} lines are left out, ` +
      `because the settings measured find loops there (rules, table borders, badges)\n`,
  );

  const measurements = await measure(
    SECTIONS.flatMap((section) => section.entries),
    fileOf,
    report,
  );
  report("steady memory");
  const memory = await measureMemory(fileOf("markdown"));
  const verdicts = judge(measurements);
  report("");

  for (const section of SECTIONS) console.log(formatSection(section, measurements));
  console.log(formatMemory(memory));
  console.log(formatVerdicts(verdicts));

  mkdirSync(RESULTS, { recursive: true });
  const figures = SECTIONS.flatMap(({ title, entries }) =>
    entries.map(({ id, label, per, beside }) => {
      const measurement = measurements.get(id) ?? { samples: [], error: "not measured" };
      return {
        section: title,
        id,
        label,
        per,
        nanoseconds: measurement.samples.length === 0 ? undefined : summarize(measurement.samples),
        beside,
        ratio: beside === undefined ? undefined : ratioOf(measurement, measurements.get(beside)),
        error: measurement.error,
        samples: measurement.samples.map((sample) => Math.round(sample * 100) / 100),
      };
    }),
  );
  const corpus = { characters: markdown.length, tokens: pieces, linesLeftOutForRepetition: loopFree.droppedLines };
  const results = { date: new Date().toISOString(), machine, corpus, figures, memory, verdicts };
  writeFileSync(join(RESULTS, "stop-rules.json"), `${JSON.stringify(results, undefined, 2)}\n`);
  console.log(`${((performance.now() - began) / 1000).toFixed(0)} s; written to bench/results/stop-rules.json`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
