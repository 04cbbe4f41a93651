import type { CitationEvent } from "../../events.ts";
import { bytesOfUnits } from "../../text/utf8-places.ts";
import type { JsonRecord } from "../json.ts";
import { ownValue, warnOfHomeless } from "../writing/annotations.ts";
import type { Warn } from "../writing/options.ts";
import { SOURCE_FIELDS } from "./source-fields.ts";

/**
 * What a candidate says of its sources. The provider's own says it all at once; of citations from elsewhere the same
 * is put together: a list of pages, and for each stretch of the text which of them it is from.
 */
export function encodeSources(citations: readonly CitationEvent[], text: string, warn: Warn): JsonRecord {
  const own = citations.map((citation) => ownValue(citation, "gemini")).filter((value) => value !== undefined);
  if (own.length > 0) return lastOf(own);
  const pages = citations.filter((citation) => citation.url !== undefined);
  for (const citation of citations) if (citation.url === undefined) warnOfHomeless(citation, warn);
  if (pages.length === 0) return {};
  const urls = [...new Set(pages.map(({ url }) => url))];
  const chunks = urls.map((uri) => {
    const title = pages.find((page) => page.url === uri && page.title !== undefined)?.title;
    return { web: { uri, ...(title !== undefined && { title }) } };
  });
  // Places are counted in bytes here.
  const places = bytesOfUnits(
    text,
    pages.flatMap(({ start = 0, end = 0 }) => [start, end]),
  );
  const supports = pages.flatMap(({ url, start, end }) => {
    if (start === undefined || end === undefined) return [];
    const segment = { startIndex: places.get(start), endIndex: places.get(end), text: text.slice(start, end) };
    return [{ segment, groundingChunkIndices: [urls.indexOf(url)] }];
  });
  return {
    groundingMetadata: { groundingChunks: chunks, ...(supports.length > 0 && { groundingSupports: supports }) },
  };
}

/** What was said last in each of the fields: the provider repeats them, with more in them each time. */
function lastOf(values: readonly JsonRecord[]): JsonRecord {
  const fields = SOURCE_FIELDS.map((name): [string, unknown] => [
    name,
    values.findLast((value) => name in value)?.[name],
  ]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}
