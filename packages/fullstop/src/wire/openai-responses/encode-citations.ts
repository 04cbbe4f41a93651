import type { CitationEvent } from "../../events.ts";
import type { JsonRecord } from "../json.ts";
import { ownValue, toPageCitation } from "../writing/annotations.ts";
import type { Warn } from "../writing/options.ts";
import type { TextPart } from "../writing/parts.ts";

/** A citation as an annotation of a text. The places are those in that text. */
export function encodeAnnotation({ start: offset }: TextPart, citation: CitationEvent, warn: Warn): JsonRecord[] {
  const own = ownValue(citation, "openai-responses");
  const { start, end } = citation;
  if (own !== undefined) {
    // Several texts of the provider may have become one.
    const place = "start_index" in own && start !== undefined && end !== undefined;
    return [place ? { ...own, start_index: Math.max(0, start - offset), end_index: end - offset } : own];
  }
  const page = toPageCitation(citation, offset, warn);
  return page === undefined ? [] : [{ type: "url_citation", ...page }];
}
