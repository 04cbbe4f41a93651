import { unitsOfBytes } from "../../text/utf8-places.ts";
import { isRecord, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { Answer } from "../reading/answer.ts";
import { toCitation } from "../reading/citation.ts";
import { SOURCE_FIELDS } from "./source-fields.ts";

/** How many citations of an answer are told; there are never so many, and each takes a look at the text. */
const MOST_CITATIONS = 10_000;

/** A page, and the stretch of the text that is from it, counted in bytes. */
interface Support {
  readonly source: JsonRecord;
  readonly start: number;
  readonly end: number;
  /** The text of the stretch, where it stands there once more. */
  readonly text: string;
}

/** Reads who is quoted. Candidates repeat it and add to it, so only what is new is passed on. */
export class GeminiCitationReader {
  readonly #answer: Answer;
  readonly #told = new Set<string>();
  /** All visible text, in which places are found that are counted in bytes. */
  #text = "";

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  addText(text: string): void {
    this.#text += text;
  }

  read(candidate: JsonRecord): void {
    const given = SOURCE_FIELDS.filter((name) => isRecord(candidate[name]));
    if (given.length === 0) return;
    const value = Object.fromEntries(given.map((name) => [name, candidate[name]]));
    // For whoever speaks the dialect all of it as it is; each citation follows for everybody else.
    if (this.#isNew(JSON.stringify(value))) this.#answer.citation({ value });
    const supports = [
      ...groundingIn(recordOf(value["groundingMetadata"])),
      ...citedIn(recordOf(value["citationMetadata"])),
    ];
    const places = unitsOfBytes(
      this.#text,
      supports.flatMap(({ start, end }) => [start, end]),
    );
    for (const { source, start, end, text } of supports) {
      const { uri: url, title } = source;
      const range = this.#rangeOf(places.get(start) ?? 0, places.get(end) ?? 0, text);
      if (this.#isNew(JSON.stringify([url, title, range]))) {
        this.#answer.citation(toCitation(undefined, { url, title, ...range }));
      }
    }
  }

  /** Where a stretch is. It may be counted from the beginning of a part and not of the text, so its own text decides. */
  #rangeOf(start: number, end: number, text: string): { readonly start?: number; readonly end?: number } {
    const isThere = text === "" || this.#text.startsWith(text, start);
    const at = isThere ? start : this.#text.indexOf(text);
    return at < 0 ? {} : { start: at, end: isThere && text === "" ? end : at + text.length };
  }

  #isNew(key: string): boolean {
    if (this.#told.has(key) || this.#told.size === MOST_CITATIONS) return false;
    this.#told.add(key);
    return true;
  }
}

/** Pages that a search has found, or documents of the caller's, and what is from them. */
function groundingIn({ groundingChunks, groundingSupports }: JsonRecord): readonly Support[] {
  const chunks = listOf(groundingChunks).map(recordOf);
  return listOf(groundingSupports).flatMap((support) => {
    const { segment, groundingChunkIndices } = recordOf(support);
    return listOf(groundingChunkIndices).flatMap((index) => {
      const chunk = typeof index === "number" ? chunks[index] : undefined;
      const source = Object.values(chunk ?? {}).find(isRecord);
      return source === undefined ? [] : [toSupport(source, recordOf(segment))];
    });
  });
}

/** Works that the answer repeats word for word. Google's two services have two names for them. */
function citedIn({ citations, citationSources }: JsonRecord): readonly Support[] {
  return listOf(citations ?? citationSources)
    .filter(isRecord)
    .map((source) => toSupport(source, source));
}

/** The first place is left out where it is 0. */
function toSupport(source: JsonRecord, { startIndex, endIndex, text }: JsonRecord): Support {
  return { source, start: placeOf(startIndex), end: placeOf(endIndex), text: stringOf(text) };
}

function placeOf(index: unknown): number {
  return typeof index === "number" && index > 0 ? index : 0;
}
