// @ts-check

/**
 * Says whether an answer of Pip is right: the answer itself, the form of its think block, and that it ended when it
 * should.
 */

/**
 * A request and what its answer has to be. Which of the fields of `check` there are depends on its kind.
 * @typedef {{
 *   kind: string, answer: string, answers: string[], text: string, pattern: string, include: string, min: number,
 *   max: number, pool: string[], n: number, head: string, keys: string[], calls: unknown[], unit: string,
 *   free?: boolean, a: number,
 * }} Check
 * @typedef {{skill: string, held: boolean, mode: "think" | "soft" | "hard", prompt: string, check: Check}} Case
 * @typedef {{tokens: import("node-llama-cpp").Token[], text: string, eos: boolean}} Answer
 * @typedef {(answer: string, check: Check, whole: Answer) => boolean} CheckFunction
 */

const EMPTY_THINK_BLOCK = "<think>\n\n</think>\n\n";
const ENDLESS_KINDS = new Set(["loop", "countup", "thinkloop"]);

/** @type {Readonly<Record<string, CheckFunction>>} */
const CHECKS = {
  exact: (answer, check) => answer === check.answer,
  ends: (answer, check) => answer.endsWith(check.text),
  oneof: (answer, check) => check.answers.includes(answer),
  include: (answer, check) => answer.includes(check.text),
  match: (answer, check) => new RegExp(check.pattern).test(answer),
  story: (answer, check) => answer.split(/\s+/).length >= 60 && mentions(answer, check.include),
  lines(answer, check) {
    const count = answer.split("\n").filter((line) => line.trim() !== "").length;
    return count >= check.min && count <= check.max && mentions(answer, check.include);
  },
  essay: (answer, check, whole) => whole.tokens.length >= 400 && mentions(answer, check.include),
  list: (answer, check) => isChoiceOf(parseList(answer), check),
  resume(answer, check) {
    const head = check.head.trimEnd();
    return [check.head + answer, `${head}\n${answer}`, `${head} ${answer}`].some((text) =>
      isChoiceOf(parseList(text), check),
    );
  },
  numbered(answer, check) {
    const lines = answer.split("\n");
    return lines.length === check.n && isNumbered(lines);
  },
  table(answer, check) {
    const rows = answer.split("\n");
    const [first = "", second = ""] = rows;
    const width = first.split("|").length;
    const isEven = rows.every((row) => row.split("|").length === width);
    return rows.length === check.n + 2 && /^\|( --- \|)+$/.test(second) && isEven && new Set(rows).size === rows.length;
  },
  json: (answer, check) => isSameJson(Object.keys(parseJson(answer.replace(/^```json\n|\n```$/g, ""))), check.keys),
  from(answer, check) {
    const rest = check.pool.reduce((left, item) => left.replaceAll(item, ""), answer);
    return check.pool.some((item) => answer.includes(item)) && rest.trim() === "";
  },
  emoji: (answer, check) => isChoiceOf(answer.split(" "), check),
  calls(answer, check) {
    const calls = [...answer.matchAll(/<tool_call>\n(.*?)\n<\/tool_call>/gs)].map(([, json = ""]) => parseJson(json));
    return isSameJson(calls, check.calls) && answer.replace(/<tool_call>\n(.*?)\n<\/tool_call>\n?/gs, "") === "";
  },
  loop: (answer, check) => check.unit.repeat(Math.ceil(answer.length / check.unit.length)).startsWith(answer),
  countup: (answer, check) =>
    answer
      .split(", ")
      .slice(0, -1)
      .every((number, index) => Number(number) === check.a + index),
  thinkloop: () => true,
};

/**
 * Whether an answer has to go on until something stops it.
 * @param {Case} testCase
 */
export function isEndless(testCase) {
  return ENDLESS_KINDS.has(testCase.check.kind);
}

/**
 * What is wrong with an answer, or null.
 * @param {Case} testCase
 * @param {Answer} whole
 * @returns {string | null}
 */
export function judge(testCase, whole) {
  if (whole.eos === isEndless(testCase)) return whole.eos ? "stopped" : "no EOS";
  const read = readAnswer(testCase, whole.text);
  if ("problem" in read) return read.problem;
  const check = withPeriod(testCase.check, read.answer);
  if (check === undefined) return "no period";
  try {
    return CHECKS[check.kind]?.(read.answer, check, whole) === true ? null : "wrong answer";
  } catch {
    // Checks of JSON throw where there is none.
    return "does not parse";
  }
}

/**
 * The answer without its think block, whose form depends on how the model was asked.
 * @param {Case} testCase
 * @param {string} text
 * @returns {{answer: string} | {problem: string}}
 */
function readAnswer({ check, mode }, text) {
  if (check.kind === "thinkloop") {
    const isOpen = text.startsWith("<think>\n") && !text.includes("</think>");
    return isOpen ? { answer: text } : { problem: "think block closed" };
  }
  let answer = text;
  if (mode === "think") {
    const match = /^<think>\n([^\n][\s\S]*?)\n<\/think>\n\n([\s\S]*)$/.exec(text);
    if (match === null) return { problem: "bad think block" };
    answer = match[2] ?? "";
  } else if (mode === "soft") {
    if (!text.startsWith(EMPTY_THINK_BLOCK)) return { problem: "bad empty think block" };
    answer = text.slice(EMPTY_THINK_BLOCK.length);
  }
  return /<\/?think>/.test(answer) ? { problem: "stray think tag" } : { answer };
}

/**
 * The check of a loop whose text the model chose itself, with the period that is found in the answer.
 * @param {Check} check
 * @param {string} answer
 * @returns {Check | undefined}
 */
function withPeriod(check, answer) {
  if (check.kind !== "loop" || check.free !== true) return check;
  const unit = /^([\s\S]+?\n+)\1/.exec(answer)?.[1];
  return unit === undefined ? undefined : { ...check, unit };
}

/**
 * @param {string} answer
 * @param {string} text
 */
function mentions(answer, text) {
  return answer.toLowerCase().includes(text.toLowerCase());
}

/**
 * @param {unknown} one
 * @param {unknown} other
 */
function isSameJson(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * @param {string} json
 * @returns {object}
 */
function parseJson(json) {
  /** @type {unknown} */
  const value = JSON.parse(json);
  if (typeof value !== "object" || value === null) throw new TypeError("not an object");
  return value;
}

/**
 * Whether these are the right number of different things, all of them out of the pool.
 * @param {string[]} items
 * @param {Check} check
 */
function isChoiceOf(items, { pool, n }) {
  return items.length === n && new Set(items).size === n && items.every((item) => pool.includes(item));
}

/** @param {string[]} lines */
function isNumbered(lines) {
  return lines.every((line, index) => line.startsWith(`${index + 1}. `));
}

/**
 * The items of a list: numbered, with dashes, or on one line with commas.
 * @param {string} text
 */
function parseList(text) {
  const lines = text.split("\n");
  if (lines.every((line) => /^\d+\. /.test(line))) {
    return isNumbered(lines) ? lines.map((line) => line.replace(/^\d+\. /, "")) : [];
  }
  if (lines.every((line) => line.startsWith("- "))) return lines.map((line) => line.slice(2));
  return lines.length === 1 ? text.split(", ") : [];
}
