import type { JsonRecord } from "../json.ts";
import { toCitation } from "../reading/citation.ts";
import type { Citation } from "../reading/citation.ts";

/** A citation of a block, whose text is at this place. */
export function readCitation(citation: JsonRecord, start: number, end: number): Citation {
  const { url, source, title, document_title: name, cited_text: quote } = citation;
  // A search result of the caller's own has its address under another name, if it is one.
  return toCitation(citation, { url: url ?? addressOf(source), title: title ?? name, quote, start, end });
}

function addressOf(source: unknown): unknown {
  return typeof source === "string" && /^https?:/iu.test(source) ? source : undefined;
}
