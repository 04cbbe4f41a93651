import type { CitationEvent } from "../../events.ts";
import { isRecord } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { Warn } from "./options.ts";

/** The fields of OpenAI's annotation for a page, in Chat and in Responses. */
export interface PageCitation {
  readonly url: string;
  readonly title: string;
  readonly start_index: number;
  readonly end_index: number;
}

/** A citation as one of a page, of which the dialect counts the places from `offset` on; none where it has no address. */
export function toPageCitation(citation: CitationEvent, offset: number, warn: Warn): PageCitation | undefined {
  const { url, title = url, start = offset, end = start } = citation;
  if (url === undefined || title === undefined) {
    warnOfHomeless(citation, warn);
    return undefined;
  }
  return { url, title, start_index: Math.max(0, start - offset), end_index: Math.max(0, end - offset) };
}

/** The citation as its provider has written it, if that was in the dialect. */
export function ownValue({ format, value }: CitationEvent, dialect: string): JsonRecord | undefined {
  return format === dialect && isRecord(value) ? value : undefined;
}

/**
 * An annotation as its provider has written it, if that was in the dialect, at the place that its text has now: thinking
 * may have been taken out before it, a continued answer stands before it, and several texts may have become one.
 */
export function ownAnnotation(citation: CitationEvent, dialect: string, offset: number): JsonRecord | undefined {
  const own = ownValue(citation, dialect);
  const { start, end } = citation;
  if (own === undefined || start === undefined || end === undefined) return own;
  const place = { start_index: Math.max(0, start - offset), end_index: end - offset };
  const nested = own["url_citation"];
  if (isRecord(nested)) return { ...own, url_citation: { ...nested, ...place } };
  return "start_index" in own ? { ...own, ...place } : own;
}

/** Warns of a citation that a dialect has no place for because it has no address. */
export function warnOfHomeless({ title, quote }: CitationEvent, warn: Warn): void {
  // One that says nothing but in its own dialect is told again in citations of its own.
  if (title === undefined && quote === undefined) return;
  warn("citations", "The dialect cites what has an address; a citation without one was left out");
}
