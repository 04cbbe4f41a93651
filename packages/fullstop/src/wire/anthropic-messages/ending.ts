import { isPlainWord } from "../../secrets.ts";
import type { TerminationSignal } from "../../termination.ts";
import { recordOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { AnthropicStopReason } from "./finish.ts";

/** What a message says at its end beside its stop reason, as the metadata of a signal: the kind of a refusal. */
export function readEndingMetadata(message: JsonRecord): JsonRecord {
  const { category } = recordOf(message["stop_details"]);
  return typeof category === "string" && isPlainWord(category) ? { category } : {};
}

/** The fields that say why a message ended. */
export function encodeStop(reason: AnthropicStopReason, signal: TerminationSignal): JsonRecord {
  const stopSequence = reason === "stop_sequence" ? (signal.stopSequence ?? null) : null;
  return { stop_reason: reason, stop_sequence: stopSequence, stop_details: encodeStopDetails(reason, signal) };
}

function encodeStopDetails(reason: AnthropicStopReason, { providerSpecific }: TerminationSignal): JsonRecord | null {
  const { category } = providerSpecific.metadata ?? {};
  if (reason !== "refusal" || typeof category !== "string") return null;
  // The explanation is a text that may quote what was said, and is not kept.
  return { type: "refusal", category, explanation: null };
}
