// @ts-check
// By path, because the package does not list them among its exports.
import { StopGenerationDetector } from "../../../node_modules/node-llama-cpp/dist/utils/StopGenerationDetector.js";
import { TokenStreamRegulator } from "../../../node_modules/node-llama-cpp/dist/utils/TokenStreamRegulator.js";
import { StoppedEarly } from "../subject.mjs";

/**
 * (b) node-llama-cpp's own detector with the regulator that holds tokens back for it, driven as `LlamaCompletion`
 * drives them. Left out in its favour: turning the released tokens into text again, and, unless asked for, the second
 * detector (for the stops of a grammar, mostly empty) that `LlamaCompletion` feeds beside this one.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const nodeLlamaCpp = ({ stops = [], secondDetector = false }, { texts, ids }) => {
  if (!areTokens(ids)) throw new Error("node-llama-cpp takes whole numbers as tokens");
  return () => {
    const regulator = new TokenStreamRegulator();
    const detector = new StopGenerationDetector();
    const second = secondDetector ? new StopGenerationDetector() : undefined;
    for (const stop of stops) detector.addStopTrigger([stop]);
    let shown = 0;
    for (let index = 0; index < texts.length && !detector.hasTriggeredStops; index++) {
      const text = texts[index] ?? "";
      const tokens = ids[index] ?? [];
      const queuedTokenRelease = regulator.addChunk({ tokens, text });
      second?.recordGeneration({ text, tokens, queuedTokenRelease });
      detector.recordGeneration({ text, tokens, queuedTokenRelease });
      shown += regulator.popFreeChunkTokens().length;
    }
    if (detector.hasTriggeredStops) throw new StoppedEarly("a stop string was found");
    return { shown: shown + regulator.getAllQueuedChunkTokens().length, unit: "tokens" };
  };
};

/**
 * The peer's token type is a number with a label; this puts the label on.
 *
 * @param {readonly number[][]} ids
 * @returns {ids is readonly Parameters<TokenStreamRegulator["addChunk"]>[0]["tokens"][]}
 */
function areTokens(ids) {
  return ids.every((piece) => piece.every((id) => Number.isInteger(id)));
}
