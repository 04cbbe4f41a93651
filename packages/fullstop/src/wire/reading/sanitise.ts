import { SECRETS, isPlainWord } from "../../secrets.ts";
import type { TerminationSignal } from "../../termination.ts";
import { isRecord } from "../json.ts";
import type { JsonRecord } from "../json.ts";

const MAX_TEXT = 300;
const MAX_FIELDS = 24;

const MAX_WORD = 100;

/** A provider's word for something, bounded and without a key in it. */
export function sanitiseWord(word: string): string {
  const text = word.slice(0, 2 * MAX_WORD).replaceAll(SECRETS, "[redacted]");
  return text.length <= MAX_WORD ? text : `${text.slice(0, MAX_WORD)}…`;
}

/** A provider's sentence, fit to be logged: no keys, one line, bounded. */
export function sanitiseText(text: string): string {
  const line = text
    .slice(0, 4 * MAX_TEXT)
    .replaceAll(SECRETS, "[redacted]")
    .replaceAll(/\s+/gu, " ")
    .trim();
  return line.length <= MAX_TEXT ? line : `${line.slice(0, MAX_TEXT)}…`;
}

/**
 * Fields of an answer that are worth keeping for debugging and hold neither what people and models have written nor
 * what opens doors. A list of what may be kept is safe when a provider adds a field; a list of what may not is not.
 */
const KEPT_FIELDS: readonly string[] = [
  "id",
  "responseId",
  "request_id",
  "model",
  "modelVersion",
  "provider",
  "object",
  "type",
  "status",
  "service_tier",
  "system_fingerprint",
  "created",
  "created_at",
];

/** Objects of which only the numbers are kept. */
const COUNTED_FIELDS: readonly string[] = ["usage", "usageMetadata", "metrics"];

/** What of a provider's answer may be kept for debugging: no content, no keys, and not much of it. */
export function sanitiseMetadata(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return {};
  const kept: Record<string, unknown> = {};
  for (const name of KEPT_FIELDS) {
    const field = value[name];
    if (typeof field === "number" || typeof field === "boolean") kept[name] = field;
    else if (typeof field === "string" && isPlainWord(field)) kept[name] = field;
  }
  for (const name of COUNTED_FIELDS) {
    if (isRecord(value[name])) kept[name] = numbersOf(value[name]);
  }
  return kept;
}

function numbersOf(counts: JsonRecord): Readonly<Record<string, number>> {
  const numbers: Record<string, number> = {};
  let left = MAX_FIELDS;
  for (const name of Object.keys(counts)) {
    const count = counts[name];
    if (typeof count !== "number" || name.startsWith("__") || name.length > MAX_WORD || left === 0) continue;
    numbers[name] = count;
    left -= 1;
  }
  return numbers;
}

/**
 * A signal from another process, with its words bounded and its metadata reduced to what may be kept. Fields that a
 * signal does not have are left out: nobody would look through them for keys.
 */
export function sanitiseSignal(signal: TerminationSignal): TerminationSignal {
  const { originalField, originalValue, metadata } = signal.providerSpecific;
  const { shouldTerminate, reason, confidence, message, detail, stopSequence } = signal;
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(metadata ?? {}).slice(0, MAX_FIELDS)) {
    const isPlain = typeof value === "number" || typeof value === "boolean";
    if (isPlainWord(name) && (isPlain || (typeof value === "string" && isPlainWord(value)))) kept[name] = value;
  }
  return {
    shouldTerminate,
    reason,
    confidence,
    providerSpecific: {
      originalField: sanitiseWord(originalField),
      originalValue: sanitiseWord(originalValue),
      ...(metadata !== undefined && { metadata: kept }),
    },
    ...(message !== undefined && { message: sanitiseText(message) }),
    ...(detail !== undefined && { detail: sanitiseWord(detail) }),
    ...(stopSequence !== undefined && { stopSequence }),
  };
}
