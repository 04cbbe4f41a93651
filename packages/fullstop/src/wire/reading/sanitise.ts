import { isRecord } from "../json.ts";
import type { JsonRecord } from "../json.ts";

const MAX_TEXT = 300;
const MAX_FIELDS = 24;

/**
 * What a secret looks like: a key with one of the usual beginnings, whatever follows `Bearer`, or an unbroken run of
 * characters that is too long for a word.
 */
const SECRETS = /\b(?:Bearer\s+\S+|(?:sk|pk|rk|gsk|xai|hf|key|AIza|ya29|AKIA|ASIA)[-_.]?[\w-]{12,}|[\w+/=-]{40,})/gu;

/** An id or a name, as opposed to a sentence or a key. */
const PLAIN_WORD = /^(?!__|sk-|AIza)[\w.:@/+-]{1,100}$/u;

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
    else if (typeof field === "string" && PLAIN_WORD.test(field)) kept[name] = field;
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
    if (typeof count !== "number" || !PLAIN_WORD.test(name) || left === 0) continue;
    numbers[name] = count;
    left -= 1;
  }
  return numbers;
}
