// @ts-check
import { defineGuard, defineReasoningSplitter, runGeneration } from "fullstop";
import { StoppedEarly } from "../subject.mjs";

/**
 * The reasoning splitter by text, with all known markers. The events exist beforehand: making them is the source's
 * work.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const reasoningSplitter = (_options, tokens) => {
  const stage = defineReasoningSplitter();
  const events = toEvents(tokens, false);
  return () => {
    let shown = 0;
    const sink = stage({
      push(event) {
        if (event.type === "text") shown += event.text.length;
      },
      end: () => undefined,
    });
    for (const event of events) sink.push(event);
    sink.end();
    return { shown, unit: "characters" };
  };
};

/**
 * A whole generation: an array of events as the source, the guard as a stage, sealed and read with `for await`.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const generation = ({ rules = {} }, tokens) => {
  const stage = defineGuard(rules);
  const events = toEvents(tokens, true);
  return async () => {
    let shown = 0;
    for await (const event of runGeneration(events, stage)) {
      if (event.type === "text") shown += event.text.length;
      // The array ends without a finish, which is what a truncated source looks like; anything else came from a rule.
      else if (event.type === "finish" && event.signal.detail !== "truncated") {
        throw new StoppedEarly(event.signal.message ?? event.signal.reason);
      }
    }
    return { shown, unit: "characters" };
  };
};

/**
 * @param {import("../tokens.mjs").Tokens} tokens
 * @param {boolean} withIds
 * @returns {import("fullstop").GenerationEvent[]}
 */
function toEvents({ texts, ids }, withIds) {
  return texts.map((text, index) => (withIds ? { type: "text", text, tokenIds: ids[index] } : { type: "text", text }));
}
