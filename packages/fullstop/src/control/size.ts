import type { GenerationEvent } from "../events.ts";

/** About what an event takes beside what is written in it. */
const BYTES_PER_EVENT = 40;

/** About how many bytes events take, without writing them down to find out. */
export function sizeOf(events: readonly GenerationEvent[]): number {
  let bytes = 0;
  for (const event of events) bytes += BYTES_PER_EVENT + lengthOf(event);
  return bytes;
}

/** How many characters are written in an event. */
export function lengthOf(event: GenerationEvent): number {
  switch (event.type) {
    case "text":
      return event.text.length;
    case "reasoning":
      // A provider's proof is often longer than the thinking that it is for.
      return event.text.length + (event.signature?.length ?? 0);
    case "tool-call-delta":
      return event.json.length;
    case "opaque":
      return JSON.stringify(event.value)?.length ?? 0;
    default:
      return 0;
  }
}
