// @ts-check

/** @typedef {import("fullstop").GenerationEvent} GenerationEvent */

/**
 * Events with the pieces of one text, one thinking or one call's arguments joined, which is all that cuts may change.
 *
 * @param {readonly GenerationEvent[]} events
 * @returns {readonly GenerationEvent[]}
 */
export function joinEvents(events) {
  /** @type {GenerationEvent[]} */
  const joined = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (event.type === "text" && last?.type === "text")
      joined[joined.length - 1] = { ...last, text: last.text + event.text };
    else if (event.type === "reasoning" && last?.type === "reasoning" && isPlain(event) && isPlain(last)) {
      joined[joined.length - 1] = { ...last, text: last.text + event.text };
    } else if (event.type === "tool-call-delta" && last?.type === "tool-call-delta" && last.callId === event.callId) {
      joined[joined.length - 1] = { ...last, json: last.json + event.json };
    } else if (!(event.type === "text" && event.text === "")) joined.push(event);
  }
  return joined.map((event) => ("tokenIds" in event ? { ...event, tokenIds: undefined } : event));
}

/** @param {import("fullstop").ReasoningEvent} event */
function isPlain(event) {
  return event.signature === undefined && event.redacted === undefined && event.skipped === undefined;
}

/**
 * All the text and all the thinking of an answer.
 *
 * @param {readonly GenerationEvent[]} events
 */
export function textsOf(events) {
  let text = "";
  let reasoning = "";
  for (const event of events) {
    if (event.type === "text") text += event.text;
    else if (event.type === "reasoning") reasoning += event.text;
  }
  return { text, reasoning };
}
