import type { GenerationEvent } from "../events.ts";

/** About what an event takes beside what is written in it. */
const BYTES_PER_EVENT = 40;

/** About how many bytes events take, without writing them down to find out. */
export function sizeOf(events: readonly GenerationEvent[]): number {
  let bytes = 0;
  for (const event of events) bytes += BYTES_PER_EVENT + contentOf(event).length;
  return bytes;
}

function contentOf(event: GenerationEvent): string {
  switch (event.type) {
    case "text":
    case "reasoning":
      return event.text;
    case "tool-call-delta":
      return event.json;
    case "opaque":
      return JSON.stringify(event.value) ?? "";
    default:
      return "";
  }
}
