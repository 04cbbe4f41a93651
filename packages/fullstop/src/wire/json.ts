/** A JSON object from outside, of which nothing is known yet. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** An object that is read without having been sent: every field is absent. */
const NOTHING: JsonRecord = Object.freeze({});

/** What every object has: nobody's field is called so, and handing it on could only do harm. */
export const INHERITED_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Whether a value is a JSON object, not null and not a list. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty one, so that a missing part reads as a part without fields. */
export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : NOTHING;
}

/** The value if it is a list, else an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is a string, else an empty one. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The value if it is a count of something, else undefined. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** A value as JSON text: a string is taken to be JSON already, as half the providers send it. */
export function jsonTextOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** Every escape of a JSON text; the group is that of half a character, which is written so only where its other half is missing. */
const ESCAPES = /\\(?:(ud[89a-f][0-9a-f]{2})|.)/g;

/**
 * A value as the JSON text of a request. Half a character, such as a tool leaves at the end of a text that it has cut,
 * becomes a replacement character: providers refuse the whole request because of it, and whatever is sent after it in
 * the same conversation as well.
 */
export function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes("\\ud")) return text;
  return text.replaceAll(ESCAPES, (escape: string, half: string | undefined) =>
    half === undefined ? escape : "\ufffd",
  );
}

/** The value of a JSON text, or undefined if it is not one. No JSON text has that value. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    // What is not JSON has no value here; what that means is for the caller to say.
    return undefined;
  }
}

/**
 * The arguments of a tool call as an object, for dialects that have no JSON text for them. A call without any text
 * has no arguments; text that is no JSON object gives undefined.
 */
export function parseArguments(json: string): JsonRecord | undefined {
  if (json.trim() === "") return NOTHING;
  const value = parseJson(json);
  return isRecord(value) ? value : undefined;
}
