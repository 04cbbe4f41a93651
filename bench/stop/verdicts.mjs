// @ts-check
import { judge, judgeRatio, judgeTime, ratioOf } from "../verdicts.mjs";

/**
 * Holds the figures against what was promised of the stop rules.
 *
 * @param {import("../interleave.mjs").Measurements} measurements
 * @param {import("./memory.mjs").MemoryFigures} memory
 * @returns {readonly import("../verdicts.mjs").Verdict[]}
 */
export function judgeStopRules(measurements, memory) {
  /**
   * @param {string} promise
   * @param {string} first
   * @param {string} second
   * @param {import("../verdicts.mjs").Limit} limit
   * @param {string} [whenMissed]
   * @returns {import("../verdicts.mjs").Verdict}
   */
  const compare = (promise, first, second, limit, whenMissed) =>
    judgeRatio(promise, ratioOf(measurements.get(first), measurements.get(second)), limit, whenMissed);
  const factor = (/** @type {string} */ first, /** @type {string} */ second) =>
    ratioOf(measurements.get(first), measurements.get(second))?.median.toFixed(1) ?? "?";
  const asEarly = factor("stop/minimal-rolling-buffer", "stop/fullstop");
  const bySlices = factor("repetition/plain-slices", "repetition/fullstop");
  return [
    compare(
      "4 stop strings: 5 x faster than a rolling buffer",
      "stop/rolling-buffer",
      "stop/fullstop",
      { atLeast: 5 },
      `that buffer shows all text 9 characters late; beside one that shows it as early as fullstop it is ${asEarly} x`,
    ),
    compare("4 stop strings: 5 x faster than node-llama-cpp's detector", "stop/node-llama-cpp", "stop/fullstop", {
      atLeast: 5,
    }),
    compare("10,000 closing tags cost at most 1.5 x one", "growth/tags/10000", "growth/tags/1", { atMost: 1.5 }),
    compare(
      "10,000 random words cost at most 1.5 x one",
      "growth/words/10000",
      "growth/words/1",
      { atMost: 1.5 },
      "nearly every token ends in the beginning of one of so many words, and is held back until the next",
    ),
    compare("a stop string that is almost there all the time: at most 3 x", "self-similar/fullstop", "stop/fullstop", {
      atMost: 3,
    }),
    compare(
      "repetition: 20 x faster than the plain algorithm",
      "repetition/plain",
      "repetition/fullstop",
      { atLeast: 20 },
      `it was written as fast as it can be; comparing slices, as one would write it first, it is ${bySlices} x`,
    ),
    compare("periods up to 2,000 cost at most 1.5 x those up to 100", "repetition/2000", "repetition/100", {
      atMost: 1.5,
    }),
    judgeTime("every rule at once: at most 500 ns a token", measurements.get("whole/guard"), 500),
    judge(
      "after a million tokens a guard holds no more than its windows",
      `${memory.growth.toFixed(0)} bytes more than after 1,000 tokens`,
      memory.growth < 1000,
    ),
  ];
}
