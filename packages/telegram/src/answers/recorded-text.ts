import type { GenerationEvent } from "fullstop";

/** The text of a recorded answer as it was seen: what is said after a tool was called stands in a paragraph of its own. */
export function recordedText(events: readonly GenerationEvent[]): string {
  let text = "";
  let isAfterCall = false;
  for (const event of events) {
    if (event.type === "tool-call-end") isAfterCall = true;
    if (event.type !== "text") continue;
    if (isAfterCall && text.trim() !== "") text = `${text.trimEnd()}\n\n`;
    isAfterCall = false;
    text += event.text;
  }
  return text;
}

/** The thinking of a recorded answer. */
export function recordedThinking(events: readonly GenerationEvent[]): string {
  return events.map((event) => (event.type === "reasoning" ? event.text : "")).join("");
}
