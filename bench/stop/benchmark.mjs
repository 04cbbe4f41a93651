// @ts-check
import { fileURLToPath } from "node:url";
import { measure } from "../interleave.mjs";
import { LEGEND } from "../report.mjs";
import { SECTIONS } from "./catalogue.mjs";
import { measureMemory } from "./memory.mjs";
import { writeTokenSets } from "./token-sets.mjs";
import { judgeStopRules } from "./verdicts.mjs";

const NODE_MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const WORKER = fileURLToPath(new URL("./worker.mjs", import.meta.url));

/**
 * The benchmark of the stop rules: fullstop beside what people write by hand, beside node-llama-cpp's own detector
 * and beside the plain repetition algorithm.
 *
 * @param {import("../parts.mjs").Surroundings} surroundings
 * @returns {Promise<import("../parts.mjs").Findings>}
 */
export async function runStopBenchmark(surroundings) {
  const { directory, showProgress } = surroundings;
  const { fileOf, corpus } = writeTokenSets(NODE_MODULES, directory);
  console.log(formatHead(corpus));

  const contestants = SECTIONS.flatMap((section) => section.entries).map(
    ({ id, subject, options, tokens, count, rounds }) => ({
      id,
      task: { subject, options, tokensFile: fileOf(tokens), count },
      rounds,
    }),
  );
  const measurements = await measure(contestants, WORKER, surroundings);
  showProgress("steady memory");
  const memory = await measureMemory(fileOf("markdown"));
  const verdicts = judgeStopRules(measurements, memory);
  return { sections: SECTIONS, measurements, verdicts, remarks: formatMemory(memory), others: { corpus, memory } };
}

/**
 * What was measured on what.
 *
 * @param {import("./token-sets.mjs").Corpus} corpus
 * @returns {string}
 */
function formatHead({ characters, tokens, lines, linesLeftOutForRepetition }) {
  return [
    `Markdown: ${characters.toLocaleString("en")} characters of README files in ${tokens.toLocaleString("en")} ` +
      `GPT tokens, ${(characters / tokens).toFixed(1)} characters each.`,
    `For repetition, ${linesLeftOutForRepetition} of ${lines.toLocaleString("en")} lines are left out in which the ` +
      "settings measured find loops (rules, borders):",
    "having found one, a detector has nothing more to do, so it can be timed only where there is none.",
    LEGEND,
    "",
  ].join("\n");
}

/**
 * @param {import("./memory.mjs").MemoryFigures} figures
 * @returns {string}
 */
function formatMemory({ tokens, fresh, growth }) {
  return [
    "Steady memory (every rule on, after collecting garbage)",
    `  a guard holds ${formatBytes(fresh)} after its first 1,000 tokens`,
    `  and ${growth < 0 ? "" : "+"}${formatBytes(growth)} after ${tokens.toLocaleString("en")} more`,
    "",
  ].join("\n");
}

/**
 * @param {number} bytes
 * @returns {string}
 */
function formatBytes(bytes) {
  return Math.abs(bytes) < 1000 ? `${bytes.toFixed(0)} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}
