import { isPlainWord } from "../../secrets.ts";
import type { TerminationSignal } from "../../termination.ts";
import { isRecord, recordOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { AnthropicStopReason } from "./finish.ts";

/** More skills than the provider loads for a request. */
const MOST_SKILLS = 100;

/**
 * What a message says beside its stop reason, as the metadata of a signal: of which kind a refusal was, and in which
 * container the provider has run its code, which a client has to name to go on in it.
 */
export function readEndingMetadata({ stop_details: details, container }: JsonRecord): JsonRecord {
  const { category } = wordsOf(details);
  const { skills } = recordOf(container);
  const room = wordsOf(container);
  return {
    ...(category !== undefined && { category }),
    ...(room["id"] !== undefined && {
      container: { ...room, skills: Array.isArray(skills) ? skills.slice(0, MOST_SKILLS).map(wordsOf) : null },
    }),
  };
}

/** Those of the fields that are known to hold ids and names, and do. */
function wordsOf(value: unknown): Readonly<Record<string, string>> {
  const record = recordOf(value);
  const words: Record<string, string> = {};
  for (const name of WORDS) {
    const word = record[name];
    if (typeof word === "string" && isPlainWord(word)) words[name] = word;
  }
  return words;
}

const WORDS = ["category", "id", "expires_at", "type", "skill_id", "version"] as const;

/** The fields that say why a message ended. */
export function encodeStop(reason: AnthropicStopReason, signal: TerminationSignal): JsonRecord {
  const stopSequence = reason === "stop_sequence" ? (signal.stopSequence ?? null) : null;
  const { container } = signal.providerSpecific.metadata ?? {};
  return {
    stop_reason: reason,
    stop_sequence: stopSequence,
    stop_details: encodeStopDetails(reason, signal),
    ...(isRecord(container) && { container }),
  };
}

function encodeStopDetails(reason: AnthropicStopReason, { providerSpecific }: TerminationSignal): JsonRecord | null {
  const { category } = providerSpecific.metadata ?? {};
  if (reason !== "refusal" || typeof category !== "string") return null;
  // The explanation is a text that may quote what was said, and is not kept.
  return { type: "refusal", category, explanation: null };
}
