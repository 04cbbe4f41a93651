import type { CitationEvent } from "../../events.ts";
import type { JsonRecord } from "../json.ts";
import { ownAnnotation, toPageCitation } from "../writing/annotations.ts";
import type { Warn } from "../writing/options.ts";
import type { TextPart } from "../writing/parts.ts";

/** A citation as an annotation of a text. The places are those in that text. */
export function encodeAnnotation({ start: offset }: TextPart, citation: CitationEvent, warn: Warn): JsonRecord[] {
  const own = ownAnnotation(citation, "openai-responses", offset);
  if (own !== undefined) return [own];
  const page = toPageCitation(citation, offset, warn);
  return page === undefined ? [] : [{ type: "url_citation", ...page }];
}
