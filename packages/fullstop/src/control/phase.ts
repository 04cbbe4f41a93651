import type { GenerationEvent } from "../events.ts";
import { withheldType } from "./withhold.ts";

/** What a generation is doing: nothing yet, thinking, answering, or calling a tool. */
export type GenerationPhase = "waiting" | "thinking" | "answering" | "calling";

/** The phase that an event shows; undefined for events that say nothing of it. */
export function phaseOf(event: GenerationEvent): GenerationPhase | undefined {
  switch (withheldType(event) ?? event.type) {
    case "reasoning":
      return "thinking";
    case "text":
      return "answering";
    case "tool-call-start":
    case "tool-call-delta":
    case "tool-call-end":
      return "calling";
    default:
      return undefined;
  }
}

/** What events say that a generation is doing, or was doing when it ended. */
export function lastPhaseOf(events: readonly GenerationEvent[]): GenerationPhase {
  return events.map(phaseOf).findLast((phase) => phase !== undefined) ?? "waiting";
}
