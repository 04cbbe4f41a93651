// @ts-check
import { StoppedEarly } from "../subject.mjs";

/**
 * The parts of node-llama-cpp that are used here. They are inside the package and not among its exports.
 *
 * @typedef {object} QueuedRelease
 * @property {readonly number[]} tokens
 *
 * @typedef {object} StopDetector
 * @property {(generation: {text: string, tokens: readonly number[], queuedTokenRelease: QueuedRelease}) => void}
 *   recordGeneration
 * @property {(trigger: readonly (string | number)[]) => StopDetector} addStopTrigger
 * @property {boolean} hasTriggeredStops
 *
 * @typedef {object} StreamRegulator
 * @property {(chunk: {tokens: readonly number[], text: string}) => QueuedRelease} addChunk
 * @property {() => number[]} popFreeChunkTokens
 * @property {() => number[]} getAllQueuedChunkTokens
 */

/**
 * (b) node-llama-cpp's own detector with the regulator that holds tokens back for it, driven as `LlamaCompletion`
 * drives them. Left out in its favour: a second detector that `LlamaCompletion` runs beside this one, and turning
 * the released tokens into text again.
 *
 * @type {import("../subject.mjs").Subject<{stops: readonly string[]}>}
 */
export const nodeLlamaCpp = async ({ stops }, { texts, ids }) => {
  const { StopGenerationDetector, TokenStreamRegulator } = await loadPeer();
  return () => {
    const regulator = new TokenStreamRegulator();
    const detector = new StopGenerationDetector();
    for (const stop of stops) detector.addStopTrigger([stop]);
    let shown = 0;
    for (let index = 0; index < texts.length && !detector.hasTriggeredStops; index++) {
      const text = texts[index] ?? "";
      const tokens = ids[index] ?? [];
      const queuedTokenRelease = regulator.addChunk({ tokens, text });
      detector.recordGeneration({ text, tokens, queuedTokenRelease });
      shown += regulator.popFreeChunkTokens().length;
    }
    if (detector.hasTriggeredStops) throw new StoppedEarly("a stop string was found");
    return { shown: shown + regulator.getAllQueuedChunkTokens().length, unit: "tokens" };
  };
};

async function loadPeer() {
  const entry = import.meta.resolve("node-llama-cpp");
  /** @type {unknown} */
  const detector = await import(new URL("./utils/StopGenerationDetector.js", entry).href);
  /** @type {unknown} */
  const regulator = await import(new URL("./utils/TokenStreamRegulator.js", entry).href);
  return {
    ...(/** @type {{StopGenerationDetector: new () => StopDetector}} */ (detector)),
    .../** @type {{TokenStreamRegulator: new () => StreamRegulator}} */ (regulator),
  };
}
