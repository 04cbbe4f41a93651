import type { AgentEvent } from "../../src/agent/index.ts";

/** What is on the screen of a viewer who obeys the events, after one more of them. */
export function show(shown: string, event: AgentEvent): string {
  if (event.type === "turn-start" && event.isNewAnswer) return "";
  if (event.type === "rewind") return shown.slice(0, event.keep);
  return event.type === "generation" && event.event.type === "text" ? shown + event.event.text : shown;
}
