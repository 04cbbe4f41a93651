import type { GenerationEvent } from "../events.ts";

/** What an event takes in memory beside its text, as measured: the object, the head of its string, its place. */
const BYTES_PER_EVENT = 80;

/** About how many bytes of memory events take, without writing them down to find out. */
export function sizeOf(events: readonly GenerationEvent[]): number {
  let bytes = 0;
  for (const event of events) bytes += BYTES_PER_EVENT + 2 * lengthOf(event);
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
    case "tool-call-start":
      // Nobody keeps a server from making names of megabytes.
      return event.callId.length + event.name.length + (event.native ? JSON.stringify(event.native).length : 0);
    case "tool-call-delta":
      return event.json.length;
    case "tool-call-end":
      return event.signature?.length ?? 0;
    case "citation":
      return JSON.stringify(event).length;
    case "opaque":
      return JSON.stringify(event.value)?.length ?? 0;
    default:
      return 0;
  }
}
