// @ts-check
import { startLlama } from "./model.mjs";

/**
 * llama.cpp with a count of its batches, over all contexts that are made with it.
 *
 * @typedef {object} CountingLlama
 * @property {import("node-llama-cpp").Llama} llama
 * @property {() => number} batches How many have begun.
 */

/** @returns {Promise<CountingLlama>} */
export async function startCountingLlama() {
  const llama = await startLlama();
  let batches = 0;
  const loadModel = llama.loadModel.bind(llama);
  llama.loadModel = async (options) => {
    const model = await loadModel(options);
    const createContext = model.createContext.bind(model);
    model.createContext = (contextOptions) => {
      const choose = contextOptions?.batching?.itemPrioritizationStrategy;
      return createContext({
        ...contextOptions,
        batching: {
          ...contextOptions?.batching,
          // Asked once for each batch what goes into it.
          itemPrioritizationStrategy: (waiting) => {
            batches += 1;
            if (typeof choose === "function") return choose(waiting);
            return waiting.items.map((item) => ({ item, processAmount: item.tokens.length }));
          },
        },
      });
    };
    return model;
  };
  return { llama, batches: () => batches };
}
