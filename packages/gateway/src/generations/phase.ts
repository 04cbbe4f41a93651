import type { GenerationEvent } from "fullstop";

/** What a generation that runs is doing: nothing yet, thinking, answering, or calling a tool. */
export type Phase = "waiting" | "thinking" | "answering" | "calling";

/** What the last events say that a generation is doing, or was doing when it ended. */
export function phaseOf(events: readonly GenerationEvent[]): Phase {
  switch (events.findLast(({ type }) => type !== "usage" && type !== "opaque" && type !== "finish")?.type) {
    case "reasoning":
      return "thinking";
    case "text":
      return "answering";
    case "tool-call-start":
    case "tool-call-delta":
    case "tool-call-end":
      return "calling";
    default:
      return "waiting";
  }
}
