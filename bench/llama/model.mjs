// @ts-check
import { Template } from "@huggingface/jinja";
import { modelPath } from "@fullstop/pip";
import { createLlamaEngine } from "fullstop/llama";
import { LlamaLogLevel, getLlama } from "node-llama-cpp";

/**
 * Pip, the embedded model, as an engine and as what node-llama-cpp makes of it, in the same settings. A small model
 * is the hard case: its token takes two milliseconds, beside which everything else that happens per token shows.
 */

/** How many generations run together at most. */
export const PLACES = 8;
const CONTEXT_TOKENS = 4096;
/** More than one only wait for each other on a model of this size. */
const THREADS = 1;

/**
 * Where each place begins to count, and how much of its answer is read. Such an answer does not repeat itself, so that
 * no rule ends it early, and no two are the same, so that nobody's tokens can pass for somebody else's.
 */
const STARTS = [1, 20, 33, 50, 7, 60, 90, 42];
const END = 200;
export const ANSWER_TOKENS = 250;

/** Rules that are looked at for every token, set so that none of them fires. */
const EVERY_RULE = {
  stop: ["</answer>", "\n\nUser:", "###", "<|endoftext|>"],
  repetition: true,
  maxCharacters: 1e12,
  maxMilliseconds: 1e12,
  maxCost: { amount: 1e9, perToken: 1e-6 },
  // A control token that no answer holds.
  stopTokenIds: [0],
  rules: [{ name: "nothing", start: () => () => undefined }],
};

/** @typedef {"every rule" | "no rule"} RuleSet */

/**
 * @param {string} text
 * @param {number} maxOutputTokens
 * @param {RuleSet} [rules]
 * @returns {import("fullstop/llama").LlamaRequest}
 */
export function ask(text, maxOutputTokens, rules = "no rule") {
  return {
    model: "pip",
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    reasoning: { effort: "none" },
    maxOutputTokens,
    rules: rules === "every rule" ? EVERY_RULE : {},
  };
}

/**
 * The request that speed is measured with.
 *
 * @param {number} place
 * @param {RuleSet} rules
 * @returns {import("fullstop/llama").LlamaRequest}
 */
function askToCount(place, rules) {
  return ask(questionOf(place), ANSWER_TOKENS, rules);
}

/**
 * @param {number} place
 * @returns {string}
 */
function questionOf(place) {
  return `Count from ${STARTS[place]} to ${END}`;
}

/**
 * Whether this is what Pip answers to {@link askToCount}, whole: nobody may be fast by saying less.
 *
 * @param {Answer} answer
 * @param {number} place
 * @returns {boolean}
 */
export function isRight({ text, tokens }, place) {
  const start = STARTS[place] ?? 0;
  const whole = Array.from({ length: END - start + 1 }, (_, index) => String(start + index)).join(", ");
  // A token of this answer is one character or more.
  return tokens === ANSWER_TOKENS && text.length >= tokens && whole.startsWith(text);
}

/**
 * @param {readonly Answer[]} answers By place.
 */
export function checkAnswers(answers) {
  for (const [place, answer] of answers.entries()) {
    if (!isRight(answer, place)) throw new Error(`to "${questionOf(place)}": ${answer.tokens} tokens, ${answer.text}`);
  }
}

/**
 * An engine with the model in memory.
 *
 * @param {{llama?: import("node-llama-cpp").Llama, places?: number}} [settings]
 * @returns {Promise<import("fullstop/llama").LlamaEngine>}
 */
export async function openEngine({ llama, places = PLACES } = {}) {
  const engine = createLlamaEngine({
    model: "pip",
    contextTokens: CONTEXT_TOKENS,
    sequences: places,
    threads: THREADS,
    idleMilliseconds: 0,
    llama,
  });
  await engine.load();
  return engine;
}

/**
 * @typedef {object} Answer
 * @property {string} text
 * @property {number} tokens
 */

/**
 * Reads one answer of an engine to its end.
 *
 * @param {import("fullstop/llama").LlamaEngine} engine
 * @param {import("fullstop/llama").LlamaRequest} request
 * @returns {Promise<Answer>}
 */
export async function readAnswer(engine, request) {
  let text = "";
  let tokens = 0;
  for await (const event of engine.generate(request, new AbortController().signal)) {
    if (event.type === "text") text += event.text;
    else if (event.type === "usage") tokens = event.usage.outputTokens ?? 0;
  }
  return { text, tokens };
}

/**
 * Has an engine count in several places together.
 *
 * @param {import("fullstop/llama").LlamaEngine} engine
 * @param {RuleSet} rules
 * @param {number} [together]
 * @returns {Promise<readonly Answer[]>} By place.
 */
export function countTogether(engine, rules, together = PLACES) {
  return Promise.all(Array.from({ length: together }, (_, place) => readAnswer(engine, askToCount(place, rules))));
}

/** llama.cpp as the engine starts it. */
export function startLlama() {
  return getLlama({ gpu: false, build: "never", progressLogs: false, logLevel: LlamaLogLevel.error });
}

/**
 * The same model, questions and settings without an engine: nothing but node-llama-cpp's loop over tokens, which are
 * kept. Like the engine, it keeps what it has read of the prompt from one answer to the next.
 *
 * @param {import("node-llama-cpp").Llama} llama
 */
export async function openBareLoops(llama) {
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({ contextSize: CONTEXT_TOKENS, sequences: PLACES, threads: THREADS });
  const template = new Template(model.fileInfo.metadata.tokenizer.chat_template ?? "");
  const places = STARTS.map((_, place) => {
    const messages = [{ role: "user", content: questionOf(place) }];
    const settings = { messages, add_generation_prompt: true, enable_thinking: false };
    return { sequence: context.getSequence(), prompt: model.tokenize(template.render(settings), true) };
  });

  /**
   * @param {number} together
   * @returns {Promise<readonly (readonly import("node-llama-cpp").Token[])[]>} By place.
   */
  function run(together) {
    return Promise.all(
      places.slice(0, together).map(async ({ sequence, prompt }) => {
        const known = Math.min(prompt.length - 1, sequence.nextTokenIndex);
        await sequence.eraseContextTokenRanges([{ start: known, end: sequence.nextTokenIndex }]);
        const tokens = [];
        for await (const token of sequence.evaluate(prompt.slice(known), { yieldEogToken: true })) {
          tokens.push(token);
          if (tokens.length === ANSWER_TOKENS) break;
        }
        return tokens;
      }),
    );
  }

  return {
    run,
    /**
     * What the loops say, to be checked.
     *
     * @param {number} together
     * @returns {Promise<readonly Answer[]>} By place.
     */
    async read(together) {
      const answers = await run(together);
      return answers.map((tokens) => ({ text: model.detokenize([...tokens]), tokens: tokens.length }));
    },
  };
}
