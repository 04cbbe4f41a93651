import type { CitationEvent } from "../../events.ts";
import type { JsonRecord } from "../json.ts";
import { ownAnnotation, toPageCitation } from "../writing/annotations.ts";
import type { Warn } from "../writing/options.ts";

/** A citation as an annotation of a message. The places are those in all of the message's text. */
export function encodeAnnotation(citation: CitationEvent, warn: Warn): readonly JsonRecord[] {
  const own = ownAnnotation(citation, "openai-chat", 0);
  if (own !== undefined) return [own];
  const page = toPageCitation(citation, 0, warn);
  return page === undefined ? [] : [{ type: "url_citation", url_citation: page }];
}
