import type { CitationEvent } from "../../events.ts";
import type { TextPart } from "../../request.ts";
import { isRecord, listOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { ownValue, warnOfHomeless } from "../writing/annotations.ts";
import type { Warn } from "../writing/options.ts";

/** The provider's own reference to what it has found, which nobody else can make. */
const NO_REFERENCE = "";

/** A citation of a text block. One from elsewhere is written as a page that was found. */
export function encodeCitation(citation: CitationEvent, warn: Warn): readonly JsonRecord[] {
  const own = ownValue(citation, "anthropic-messages");
  if (own !== undefined) return [own];
  const { url, title = null, quote = "" } = citation;
  if (url === undefined) {
    warnOfHomeless(citation, warn);
    return [];
  }
  return [{ type: "web_search_result_location", url, title, cited_text: quote, encrypted_index: NO_REFERENCE }];
}

/** A text that a client sends back, without the citations that were written here: the provider would refuse them. */
export function withoutForeignCitations(part: TextPart): TextPart {
  const { native, ...text } = part;
  if (native === undefined || !Array.isArray(native.fields["citations"])) return part;
  const { citations, ...others } = native.fields;
  const own = listOf(citations).filter((one) => !isRecord(one) || one["encrypted_index"] !== NO_REFERENCE);
  const fields = own.length === 0 ? others : { ...others, citations: own };
  return Object.keys(fields).length === 0 ? text : { ...text, native: { ...native, fields } };
}
