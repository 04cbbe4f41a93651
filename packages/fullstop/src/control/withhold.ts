import type { GenerationEvent, OpaqueEvent } from "../events.ts";
import type { TerminationReason, TerminationSignal } from "../termination.ts";
import { lengthOf } from "./size.ts";

/** The format of the events that stand in the place of those whose content is not kept. */
const WITHHELD = "fullstop-withheld";

/** The reasons whose evidence is a piece of the answer. */
const QUOTING: ReadonlySet<TerminationReason> = new Set(["stop_sequence", "repetition_detected"]);

/** What an event says without what anybody has written: its kind, and how long that was. */
export function withholdContent(event: GenerationEvent): GenerationEvent {
  switch (event.type) {
    case "reasoning":
      // That thinking was skipped is no content, and whoever has it skipped from elsewhere waits for it.
      return event.skipped === true && event.text === "" ? event : withheld(event.type, lengthOf(event));
    case "text":
    case "tool-call-delta":
    case "citation":
    case "opaque":
      return withheld(event.type, lengthOf(event));
    case "tool-call-end":
      // The proof of a call is the thinking that led to it, sealed.
      return { type: event.type, callId: event.callId };
    case "finish":
      return { ...event, signal: withholdMessage(event.signal) };
    default:
      return event;
  }
}

/** An ending without its sentence and its evidence, which may quote what was written. */
export function withholdMessage(signal: TerminationSignal): TerminationSignal {
  const { shouldTerminate, reason, confidence, detail, providerSpecific } = signal;
  const { originalField } = providerSpecific;
  // A stop string or a loop is evidence in its own words, which are those of the answer.
  const originalValue = QUOTING.has(reason) ? "" : providerSpecific.originalValue;
  const kept = { shouldTerminate, reason, confidence, providerSpecific: { originalField, originalValue } };
  return detail === undefined ? kept : { ...kept, detail };
}

/** The kind of the event in whose place one stands; undefined for an event that is none of these. */
export function withheldType(event: GenerationEvent): string | undefined {
  if (event.type !== "opaque" || event.format !== WITHHELD) return undefined;
  const { value } = event;
  return typeof value === "object" && value !== null && "type" in value ? String(value.type) : undefined;
}

function withheld(type: string, characters: number): OpaqueEvent {
  return { type: "opaque", format: WITHHELD, value: { type, characters } };
}
