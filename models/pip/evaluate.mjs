// @ts-check

/**
 * Scripted greedy evaluation of the GGUF file with node-llama-cpp on the CPU.
 *
 *   node evaluate.mjs [--model pip-q8_0.gguf] [--cases eval.json] [--reference reference.json] [--skill name] [--failures]
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { isEndless, judge } from "./judge.mjs";

/**
 * @typedef {import("./judge.mjs").Case} Case
 * @typedef {import("./judge.mjs").Answer} Answer
 * @typedef {import("node-llama-cpp").LlamaContextSequence} Sequence
 * @typedef {Answer & {reason: string | null}} Result
 * @typedef {[passed: number, all: number]} Score
 * @typedef {{skill: string, seen: Score, held: Score}} Row
 * @typedef {{
 *   encodings: {text: string, ids: number[]}[],
 *   greedy: {prompt: string, ids: import("node-llama-cpp").Token[], gaps: number[]}[],
 * }} Reference
 */

const LONGEST_ANSWER = 1600;
const here = import.meta.dirname;
const { values: options } = parseArgs({
  options: {
    model: { type: "string", default: path.join(here, "pip-q8_0.gguf") },
    cases: { type: "string", default: path.join(here, "eval.json") },
    reference: { type: "string", default: path.join(here, "reference.json") },
    skill: { type: "string" },
    failures: { type: "boolean", default: false },
    parallel: { type: "string", default: "4" },
    loop: { type: "string", default: "1500" },
    threads: { type: "string", default: "1" },
    dump: { type: "string" },
  },
});
const loopLength = Number(options.loop);
const parallel = Number(options.parallel);

const { getLlama } = await importLlama();
const llama = await getLlama({ gpu: false, build: "never", progressLogs: false });
const model = await llama.loadModel({ modelPath: options.model });
const sequences = await createSequences();
const [sequence] = sequences;
if (sequence === undefined) throw new Error("--parallel must be at least 1");

const cases = readCases();
const began = Date.now();
const results = await answerAll();
const seconds = (Date.now() - began) / 1000;
printSkills();
if (options.failures) printFailures();
if (options.dump !== undefined) {
  writeFileSync(options.dump, JSON.stringify(cases.map((testCase, index) => ({ ...testCase, ...results[index] }))));
}
printMechanics();
await printSpeed(sequence);
if (options.skill === undefined && existsSync(options.reference)) await printAgreement(sequence);
await llama.dispose();

/**
 * node-llama-cpp is resolved from the current folder, so that this script can live anywhere.
 * @returns {Promise<typeof import("node-llama-cpp")>}
 */
async function importLlama() {
  const file = createRequire(path.join(process.cwd(), "x.js")).resolve("node-llama-cpp");
  return /** @type {typeof import("node-llama-cpp")} */ (await import(pathToFileURL(file).href));
}

async function createSequences() {
  const context = await model.createContext({
    contextSize: 4096,
    sequences: parallel,
    threads: Number(options.threads),
  });
  return Array.from({ length: parallel }, () => context.getSequence());
}

/** @returns {Case[]} */
function readCases() {
  const all = /** @type {Case[]} */ (JSON.parse(readFileSync(options.cases, "utf8")));
  const { skill } = options;
  return skill === undefined ? all : all.filter((testCase) => testCase.skill.includes(skill));
}

/**
 * @param {Sequence} on
 * @param {string} prompt
 * @param {number} limit
 * @returns {Promise<Answer>}
 */
async function generate(on, prompt, limit) {
  await on.clearHistory();
  const tokens = [];
  let eos = false;
  for await (const token of on.evaluate(model.tokenize(prompt, true), { temperature: 0, yieldEogToken: true })) {
    eos = model.isEogToken(token);
    if (!eos) tokens.push(token);
    if (eos || tokens.length >= limit) break;
  }
  return { tokens, text: model.detokenize(tokens, true), eos };
}

async function answerAll() {
  const queue = [...cases.entries()];
  /** @type {Result[]} */
  const answered = [];
  await Promise.all(
    sequences.map(async (on) => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const [index, testCase] = next;
        const answer = await generate(on, testCase.prompt, isEndless(testCase) ? loopLength : LONGEST_ANSWER);
        answered[index] = { ...answer, reason: judge(testCase, answer) };
      }
    }),
  );
  return answered;
}

/** Every case with its result. */
function pairs() {
  return results.flatMap((result, index) => {
    const testCase = cases[index];
    return testCase === undefined ? [] : [{ testCase, result }];
  });
}

function printSkills() {
  /** @type {Map<string, Row>} */
  const rows = new Map();
  /** @type {Row} */
  const sum = { skill: "all", seen: [0, 0], held: [0, 0] };
  for (const { testCase, result } of pairs()) {
    const row = rows.get(testCase.skill) ?? { skill: testCase.skill, seen: [0, 0], held: [0, 0] };
    rows.set(testCase.skill, row);
    for (const counted of [row, sum]) {
      const score = testCase.held ? counted.held : counted.seen;
      score[0] += result.reason === null ? 1 : 0;
      score[1] += 1;
    }
  }
  console.log("| skill | trained phrasing | new phrasing | pass rate |\n| --- | --- | --- | --- |");
  for (const { skill, seen, held } of [...rows.values(), sum]) {
    const percent = (100 * (seen[0] + held[0])) / (seen[1] + held[1]);
    console.log(`| ${skill} | ${showScore(seen)} | ${showScore(held)} | ${percent.toFixed(1)} % |`);
  }
}

/** @param {Score} score */
function showScore([passed, all]) {
  return all === 0 ? "-" : `${passed}/${all}`;
}

function printFailures() {
  for (const { testCase, result } of pairs()) {
    if (result.reason === null) continue;
    const { skill, held, mode, prompt, check } = testCase;
    console.log(`\n--- ${skill} (${held ? "new" : "trained"}, ${mode}): ${result.reason}\n${prompt.slice(-500)}`);
    console.log(`>>> ${result.text.slice(0, 600)}\n=== ${JSON.stringify(check).slice(0, 300)}`);
  }
}

/** Whether the text of the first tokens ends inside a character somewhere. */
function hasPartialCharacters(/** @type {Result} */ { text, tokens }) {
  if (!/[^\p{ASCII}]/u.test(text) || text.includes("\uFFFD")) return false;
  return tokens
    .slice(0, 60)
    .some((_token, index) => model.detokenize(tokens.slice(0, index + 1), true).endsWith("\uFFFD"));
}

function printMechanics() {
  const endless = pairs().filter(({ testCase }) => isEndless(testCase));
  const running = endless.filter(({ result }) => !result.eos);
  const thinking = pairs().filter(({ testCase }) => testCase.mode === "think" && testCase.check.kind !== "thinkloop");
  const wellFormed = thinking.filter(({ result }) => !(result.reason ?? "").includes("think"));
  const inTime = results.filter(({ reason }) => reason !== "stopped" && reason !== "no EOS");
  const partial = results.filter(hasPartialCharacters);
  const tokens = results.reduce((count, result) => count + result.tokens.length, 0);
  const speed = (tokens / seconds).toFixed(0);
  console.log(`\nEOS exactly when due: ${inTime.length}/${results.length}`);
  console.log(`endless answers still running after ${loopLength} tokens: ${running.length}/${endless.length}`);
  console.log(`think blocks well formed: ${wellFormed.length}/${thinking.length}`);
  console.log(`answers with incomplete UTF-8 between tokens: ${partial.length}`);
  console.log(
    `${tokens} tokens in ${seconds.toFixed(0)} s, ${speed} tokens/s over ${parallel} sequences and ${options.threads} thread(s)`,
  );
}

/** @param {Sequence} on */
async function printSpeed(on) {
  const start = Date.now();
  const prompt = "<|im_start|>user\nCount from 1 to 100 /no_think<|im_end|>\n<|im_start|>assistant\n";
  const { tokens } = await generate(on, prompt, 400);
  console.log(`${(tokens.length / ((Date.now() - start) / 1000)).toFixed(0)} tokens/s for a single sequence`);
}

/**
 * How far the tokenizer and greedy decoding agree with the reference implementation.
 * @param {Sequence} on
 */
async function printAgreement(on) {
  const { encodings, greedy } = /** @type {Reference} */ (JSON.parse(readFileSync(options.reference, "utf8")));
  const same = encodings.filter(
    ({ text, ids }) => JSON.stringify([...model.tokenize(text, true)]) === JSON.stringify(ids),
  );
  const round = encodings.filter(({ text }) => model.detokenize(model.tokenize(text, true), true) === text);
  console.log(
    `tokenizer equals the reference on ${same.length}/${encodings.length} texts, round trip exact on ${round.length}`,
  );
  let all = 0;
  let right = 0;
  const gaps = [];
  for (const { prompt, ids, gaps: gapsThere } of greedy) {
    const end = ids.findIndex((token) => model.isEogToken(token));
    const wanted = end < 0 ? ids : ids.slice(0, end);
    const { tokens } = await generate(on, prompt, Math.max(wanted.length, 1));
    const divergence = wanted.findIndex((token, index) => tokens[index] !== token);
    all += wanted.length;
    right += divergence < 0 ? wanted.length : divergence;
    if (divergence >= 0) gaps.push(gapsThere[divergence]);
  }
  const agreeing = greedy.length - gaps.length;
  console.log(
    `greedy tokens equal the float32 reference on ${agreeing}/${greedy.length} prompts ` +
      `(${right} of ${all} tokens before a divergence; logit gaps there: ${gaps.join(", ") || "none"})`,
  );
}
