import type { CitationEvent } from "../../events.ts";
import { isRecord } from "../json.ts";
import type { JsonRecord } from "../json.ts";

/** A citation as the reader of a dialect finds it. */
export type Citation = Omit<CitationEvent, "type" | "format">;

/** What a provider may have said of a citation, or something else in its place. */
export interface CitationFields {
  readonly url?: unknown;
  readonly title?: unknown;
  readonly quote?: unknown;
  readonly start?: unknown;
  readonly end?: unknown;
}

/** A citation with whatever can be used of its fields. Half a range is none. */
export function toCitation(value: unknown, { url, title, quote, start, end }: CitationFields): Citation {
  return {
    ...(isPlace(start) && isPlace(end) && end > start && { start, end }),
    ...(isText(url) && { url }),
    ...(isText(title) && { title }),
    ...(isText(quote) && { quote }),
    ...(value !== undefined && { value }),
  };
}

/**
 * An annotation as OpenAI writes it, whose fields stand in an object of their own in Chat and beside the type in
 * Responses. `offset` is where the text that it counts from begins.
 */
export function annotationToCitation(annotation: JsonRecord, offset: number): Citation {
  const nested = annotation["url_citation"];
  const fields = isRecord(nested) ? nested : annotation;
  const { url, title, filename, content, start_index: start, end_index: end } = fields;
  return toCitation(annotation, {
    url,
    title: title ?? filename,
    quote: content,
    start: shift(start, offset),
    end: shift(end, offset),
  });
}

function shift(index: unknown, offset: number): unknown {
  return typeof index === "number" ? index + offset : index;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isPlace(index: unknown): index is number {
  return typeof index === "number" && Number.isSafeInteger(index) && index >= 0;
}
