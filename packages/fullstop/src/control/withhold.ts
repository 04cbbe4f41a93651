import type { GenerationEvent, OpaqueEvent } from "../events.ts";
import type { TerminationSignal } from "../termination.ts";
import { lengthOf } from "./size.ts";

/** The format of the events that stand in the place of those whose content is not kept. */
const WITHHELD = "fullstop-withheld";

/** What an event says without what anybody has written: its kind, and how long that was. */
export function withholdContent(event: GenerationEvent): GenerationEvent {
  switch (event.type) {
    case "text":
    case "reasoning":
    case "tool-call-delta":
    case "opaque":
      return withheld(event.type, lengthOf(event));
    case "finish":
      return { ...event, signal: withholdMessage(event.signal) };
    default:
      return event;
  }
}

/** An ending without its sentence and its evidence, which may quote what was written. */
export function withholdMessage(signal: TerminationSignal): TerminationSignal {
  const { shouldTerminate, reason, confidence, detail, providerSpecific } = signal;
  const { originalField, originalValue } = providerSpecific;
  const kept = { shouldTerminate, reason, confidence, providerSpecific: { originalField, originalValue } };
  return detail === undefined ? kept : { ...kept, detail };
}

function withheld(type: string, characters: number): OpaqueEvent {
  return { type: "opaque", format: WITHHELD, value: { type, characters } };
}
