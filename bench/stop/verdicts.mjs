// @ts-check
import { judgeRatio, judgeTime, ratioOf } from "../verdicts.mjs";

/**
 * Holds the figures against what was promised of the stop rules.
 *
 * @param {import("../interleave.mjs").Measurements} measurements
 * @param {import("./memory.mjs").MemoryFigures} memory
 * @returns {import("../verdicts.mjs").Verdict[]}
 */
export function judge(measurements, memory) {
  /**
   * @param {string} promise
   * @param {string} first
   * @param {string} second
   * @param {import("../verdicts.mjs").Limit} limit
   * @returns {import("../verdicts.mjs").Verdict}
   */
  const compare = (promise, first, second, limit) =>
    judgeRatio(promise, ratioOf(measurements.get(first), measurements.get(second)), limit);
  return [
    compare("4 stop strings: 5 x faster than (a)", "stop/rolling-buffer", "stop/fullstop", { atLeast: 5 }),
    compare("4 stop strings: 5 x faster than (b)", "stop/node-llama-cpp", "stop/fullstop", { atLeast: 5 }),
    compare("10,000 tags cost at most 1.5 x one", "growth/tags/10000", "growth/tags/1", { atMost: 1.5 }),
    compare("10,000 random words cost at most 1.5 x one", "growth/words/10000", "growth/words/1", { atMost: 1.5 }),
    compare("self-similar: at most 3 x normal", "self-similar/fullstop", "stop/fullstop", { atMost: 3 }),
    compare("repetition: 20 x faster than (c)", "repetition/plain", "repetition/fullstop", { atLeast: 20 }),
    compare("period 2,000 costs at most 1.5 x 100", "repetition/2000", "repetition/100", { atMost: 1.5 }),
    judgeTime("whole guard: at most 500 ns a token", measurements.get("whole/guard"), 500),
    {
      promise: "a million tokens: held no more than the windows",
      found: `${memory.growth.toFixed(0)} bytes more than after 1,000 tokens`,
      outcome: memory.growth < 1000 ? "met" : "missed",
    },
  ];
}
