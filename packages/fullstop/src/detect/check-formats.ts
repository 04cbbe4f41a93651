import { invalidArgument } from "../errors.ts";
import { ANSWER_FORMATS } from "../wire/formats.ts";

/** Refuses anything but the name of a dialect whose answers can be read; an absent option passes. */
export function checkFormat(name: string, format: unknown): void {
  if (format === undefined || (typeof format === "string" && Object.hasOwn(ANSWER_FORMATS, format))) return;
  throw invalidArgument(name, `must be one of ${Object.keys(ANSWER_FORMATS).join(", ")}`, format);
}

/** Refuses anything but a list of such names, of which there has to be one; an absent option passes. */
export function checkFormats(name: string, formats: unknown): void {
  if (formats === undefined) return;
  if (!Array.isArray(formats) || formats.length === 0) {
    throw invalidArgument(name, 'must be a list of dialects, such as ["openai-chat"]', formats);
  }
  // A hole in the list is no dialect either, though it passes where an option is absent.
  for (const format of formats as readonly unknown[]) checkFormat(name, format ?? null);
}
