// @ts-check
import { readTokens } from "./tokens.mjs";

/**
 * The process of one subject. It does nothing but wait for rounds: see interleave.mjs for why each subject has a
 * process of its own. Modules are loaded here on demand, so that no subject shares its process with another's code.
 */
const SUBJECTS = {
  textGuard: async () => (await import("./subjects/text-guard.mjs")).textGuard,
  rollingBuffer: async () => (await import("./subjects/rolling-buffer.mjs")).rollingBuffer,
  minimalRollingBuffer: async () => (await import("./subjects/minimal-rolling-buffer.mjs")).minimalRollingBuffer,
  nodeLlamaCpp: async () => (await import("./subjects/node-llama-cpp.mjs")).nodeLlamaCpp,
  plainRepetition: async () => (await import("./subjects/plain-repetition.mjs")).plainRepetition,
  reasoningSplitter: async () => (await import("./subjects/event-stages.mjs")).reasoningSplitter,
  generation: async () => (await import("./subjects/event-stages.mjs")).generation,
  compile: async () => (await import("./subjects/compile.mjs")).compile,
};

/**
 * @typedef {keyof typeof SUBJECTS} SubjectName
 *
 * @typedef {{type: "prepare", subject: SubjectName, options: import("./subject.mjs").SubjectOptions, tokensFile: string}} PrepareRequest
 * @typedef {PrepareRequest | {type: "round"}} Request
 *
 * @typedef {{type: "ready", passes: number}} Ready
 * @typedef {{type: "sample", nanoseconds: number}} Sample
 * @typedef {Ready | Sample | {type: "failed", message: string}} Answer
 */

/** Long enough for the optimizing compiler to have finished with everything that a pass runs through. */
const WARM_UP_MILLISECONDS = 400;
/** Long enough that starting a round does not matter, short enough that a disturbance spoils one sample only. */
const ROUND_MILLISECONDS = 25;

/** @type {(() => Promise<number>) | undefined} */
let runRound;

process.on("message", (/** @type {Request} */ request) => {
  answer(request).then(
    (/** @type {Answer} */ message) => process.send?.(message),
    (/** @type {unknown} */ error) => process.send?.({ type: "failed", message: String(error) }),
  );
});

/**
 * @param {Request} request
 * @returns {Promise<Answer>}
 */
async function answer(request) {
  if (request.type === "prepare") return { type: "ready", passes: await prepare(request) };
  if (runRound === undefined) throw new Error("round before prepare");
  return { type: "sample", nanoseconds: await runRound() };
}

/**
 * @param {PrepareRequest} request
 * @returns {Promise<number>} How many passes a round has.
 */
async function prepare({ subject: name, options, tokensFile }) {
  const tokens = readTokens(tokensFile);
  const subject = await SUBJECTS[name]();
  const pass = await subject(options, tokens);
  const passes = name === "compile" ? 1 : await warmUp(pass, tokens);
  const itemsPerPass = name === "compile" ? 1 : tokens.texts.length;
  runRound = async () => {
    // Garbage is left as it lies: a forced collection throws optimized code away with it, and the round would then
    // measure the compiler (fullstop and its peers alike come out three to ten times slower).
    const start = performance.now();
    for (let index = 0; index < passes; index++) {
      const result = pass();
      // Only a pass that is asynchronous is waited for: a needless `await` would be measured too.
      if (result instanceof Promise) await result;
    }
    return ((performance.now() - start) * 1e6) / (passes * itemsPerPass);
  };
  return passes;
}

/**
 * @param {import("./subject.mjs").Pass} pass
 * @param {import("./tokens.mjs").Tokens} tokens
 * @returns {Promise<number>} How many passes fill a round.
 */
async function warmUp(pass, tokens) {
  const began = performance.now();
  let shortest = Number.POSITIVE_INFINITY;
  for (let done = 0; done < 3 || performance.now() - began < WARM_UP_MILLISECONDS; done++) {
    const start = performance.now();
    const result = await pass();
    shortest = Math.min(shortest, performance.now() - start);
    checkOutput(result, tokens);
  }
  return Math.max(1, Math.ceil(ROUND_MILLISECONDS / shortest));
}

/**
 * @param {import("./subject.mjs").PassResult} result
 * @param {import("./tokens.mjs").Tokens} tokens
 */
function checkOutput({ shown, unit }, { texts, ids }) {
  if (unit === "nothing") return;
  const expected = (unit === "tokens" ? ids : texts).reduce((total, piece) => total + piece.length, 0);
  if (shown !== expected) throw new Error(`showed ${shown} of ${expected} ${unit}`);
}
