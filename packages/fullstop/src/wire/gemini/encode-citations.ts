import type { CitationEvent } from "../../events.ts";
import { isHighSurrogate, isLowSurrogate } from "../../text/surrogates.ts";
import { bytesOfUnits } from "../../text/utf8-places.ts";
import { recordOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { ownValue, warnOfHomeless } from "../writing/annotations.ts";
import type { Warn } from "../writing/options.ts";

/**
 * What a candidate says of its sources. The provider's own says it all at once; of citations from elsewhere the same
 * is put together: a list of pages, and for each stretch of the text which of them it is from.
 */
export function encodeSources(citations: readonly CitationEvent[], text: string, warn: Warn): JsonRecord {
  const own = citations.filter((citation) => ownValue(citation, "gemini") !== undefined);
  // What was said of a part of the answer, by which a continuation counts, would be wrong for all of it.
  const [first, second] = own;
  if (first !== undefined && second === undefined && (first.start ?? 0) === 0) return recordOf(first.value);
  const pages = citations.filter((citation) => citation.url !== undefined);
  for (const citation of citations) if (citation.url === undefined) warnOfHomeless(citation, warn);
  if (pages.length === 0) return {};
  const titles = new Map<string | undefined, string | undefined>();
  for (const { url, title } of pages) titles.set(url, titles.get(url) ?? title);
  const indices = new Map([...titles.keys()].map((url, index) => [url, index]));
  const chunks = [...titles].map(([uri, title]) => ({ web: { uri, ...(title !== undefined && { title }) } }));
  // Places are counted in bytes here.
  const places = bytesOfUnits(
    text,
    pages.flatMap(({ start = 0, end = 0 }) => [start, end]),
  );
  const supports = pages.flatMap(({ url, start, end }) => {
    if (start === undefined || end === undefined) return [];
    const quoted = text.slice(beginOf(text, start), beginOf(text, end));
    const segment = { startIndex: places.get(start), endIndex: places.get(end), text: quoted };
    return [{ segment, groundingChunkIndices: [indices.get(url)] }];
  });
  return {
    groundingMetadata: { groundingChunks: chunks, ...(supports.length > 0 && { groundingSupports: supports }) },
  };
}

/** Where the character begins that a place is in. Some count in another way, and mean the middle of one. */
function beginOf(text: string, place: number): number {
  const isInside = isLowSurrogate(text.charCodeAt(place)) && isHighSurrogate(text.charCodeAt(place - 1));
  return isInside ? place - 1 : place;
}
