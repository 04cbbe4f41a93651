import type { ImageSource, TextPart } from "../../request.ts";
import type { JsonRecord } from "../json.ts";
import type { BodyObject, BodyValue } from "./reader.ts";

/** A copy without the fields that are undefined, so that what is absent does not look as if it had been said. */
export function withoutAbsent<T extends object>(value: T): T;
export function withoutAbsent(value: JsonRecord): JsonRecord {
  // Made of what is there: V8 keeps an object that fields were deleted from as a table, which is slow to read.
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) if (value[key] !== undefined) copy[key] = value[key];
  return copy;
}

/** A copy without the fields that are undefined, or undefined when none is left. */
export function unlessEmpty<T extends object>(value: T): T | undefined {
  const copy = withoutAbsent(value);
  return Object.keys(copy).length === 0 ? undefined : copy;
}

/** A list, or undefined when nothing is in it. */
export function unlessNone<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

/** A plain string as content: one part, or none when it is empty. */
export function textContent(text: string): readonly TextPart[] {
  return text === "" ? [] : [{ type: "text", text }];
}

/**
 * Reads content that is a string or a list of parts that each name their type. A part of which nothing is made has to
 * warn of that itself.
 */
export function readContent<Part>(
  value: BodyValue,
  readPart: (part: BodyObject, type: string) => Part | undefined,
): readonly (Part | TextPart)[] {
  if (typeof value.raw === "string") return textContent(value.raw);
  if (!Array.isArray(value.raw)) throw value.refuse("must be a string or a list of parts");
  return value.list().flatMap((item) => {
    const part = item.object();
    const read = readPart(part, part.value("type").string());
    return read === undefined ? [] : [read];
  });
}

/** Leaves out a part, an item or a tool of a type that has no counterpart. */
export function leaveOutType(object: BodyObject, type: string): undefined {
  object.leaveOut(`There is no counterpart for the type ${JSON.stringify(type.slice(0, 40))}; it was left out.`);
}

/**
 * Writes content as a list of parts, or as a plain string where it is a single text or nothing at all. A part of which
 * nothing is written has to be warned of by whoever writes it.
 */
export function writeContent<Part extends { readonly type: string }>(
  content: readonly Part[],
  writePart: (part: Part, index: number) => JsonRecord | undefined,
): string | readonly JsonRecord[] {
  const written: JsonRecord[] = [];
  let isText = true;
  for (const [index, part] of content.entries()) {
    const record = writePart(part, index);
    if (record === undefined) continue;
    written.push(record);
    isText &&= part.type === "text";
  }
  if (written.length === 0) return "";
  return (isText ? asPlainString(written) : undefined) ?? written;
}

/** What is written counts, not what it was made of: many servers take no list, and what was left out needs none. */
function asPlainString([first = {}, ...others]: readonly JsonRecord[]): string | undefined {
  const { type: _, text, ...more } = first;
  // An empty string would be read as no part at all, and a plain one has no place for anything else.
  const isPlain = others.length === 0 && Object.keys(more).length === 0 && text !== "";
  return isPlain && typeof text === "string" ? text : undefined;
}

/** A value as the JSON text that the model could have written. */
export function writeJson(value: BodyValue): string {
  try {
    return JSON.stringify(value.raw);
  } catch {
    // Only what is nested by the thousand has no JSON text.
    throw value.refuse("must be JSON of a reasonable depth");
  }
}

/** Where an image is, from an address that may hold the image itself. */
export function readImageAddress(url: string): ImageSource {
  // The pattern ends where the image begins, which may be megabytes long.
  const match = /^data:(?<mediaType>[^,]{1,200});base64,/i.exec(url);
  const mediaType = match?.groups?.["mediaType"];
  // Other `data:` addresses are not base64, so they stay addresses.
  if (match === null || mediaType === undefined) return { type: "url", url };
  return { type: "data", mediaType, data: url.slice(match[0].length) };
}

/** The address of an image that is in the request itself. */
export function writeDataAddress(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}
