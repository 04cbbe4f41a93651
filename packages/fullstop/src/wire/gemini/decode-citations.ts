import { unitsOfBytes } from "../../text/utf8-places.ts";
import { isRecord, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { Answer } from "../reading/answer.ts";
import { toCitation } from "../reading/citation.ts";

/** What a candidate says beside its content about where that is from. */
const SOURCE_FIELDS = ["groundingMetadata", "citationMetadata", "urlContextMetadata"] as const;

/** How many citations of an answer are told; there are never so many. */
const MOST_CITATIONS = 10_000;

/** How much text is looked through for stretches that are not at their place. */
const MOST_SEARCHED = 20_000_000;

/** A page, and the stretch of the text that is from it, counted in bytes. */
interface Support {
  readonly source: JsonRecord;
  readonly start: number;
  readonly end: number;
  /** The text of the stretch, where it stands there once more. */
  readonly text: string;
}

/**
 * Reads who is quoted. Candidates repeat it, add to it, and may speak of text that is still to come, so it is told at
 * the end. An answer that is cut by then has nothing in it of what was cut.
 */
export class GeminiCitationReader {
  readonly #answer: Answer;
  readonly #supports = new Map<string, Support>();
  /** What was said in each of the fields. */
  #value: JsonRecord = {};
  /** All visible text, in which places are found that are counted in bytes. */
  #text = "";
  #searched = 0;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  addText(text: string): void {
    this.#text += text;
  }

  read(candidate: JsonRecord): void {
    for (const name of SOURCE_FIELDS) {
      const said = recordOf(candidate[name]);
      if (Object.keys(said).length === 0) continue;
      this.#value = { ...this.#value, [name]: retell(recordOf(this.#value[name]), said) };
      this.#keep(name === "groundingMetadata" ? groundingIn(said) : citedIn(said));
    }
  }

  /** For whoever speaks the dialect all of it as it is; each citation follows for everybody else. */
  end(): void {
    if (Object.keys(this.#value).length === 0) return;
    this.#answer.citation(toCitation(this.#value, { start: 0, end: this.#text.length }));
    const supports = [...this.#supports.values()];
    const places = unitsOfBytes(
      this.#text,
      supports.flatMap(({ start, end }) => [start, end]),
    );
    for (const { source, start, end, text } of supports) {
      const { uri: url, title } = source;
      const range = this.#rangeOf(places.get(start) ?? 0, places.get(end) ?? 0, text);
      this.#answer.citation(toCitation(undefined, { url, title, ...range }));
    }
  }

  #keep(supports: readonly Support[]): void {
    for (const support of supports) {
      const { source, start, end, text } = support;
      const key = JSON.stringify([source["uri"], source["title"], start, end, text]);
      if (this.#supports.size < MOST_CITATIONS) this.#supports.set(key, support);
    }
  }

  /** Where a stretch is. It may be counted from the beginning of a part and not of the text, so its own text decides. */
  #rangeOf(start: number, end: number, text: string): { readonly start?: number; readonly end?: number } {
    if (text === "") return { start, end };
    const at = this.#text.startsWith(text, start) ? start : this.#find(text);
    return at < 0 ? {} : { start: at, end: at + text.length };
  }

  #find(text: string): number {
    if (this.#searched > MOST_SEARCHED) return -1;
    this.#searched += this.#text.length;
    return this.#text.indexOf(text);
  }
}

/** What is said of the sources, with what was said before. The two lists refer to each other, and go together. */
function retell({ groundingChunks, groundingSupports, ...before }: JsonRecord, said: JsonRecord): JsonRecord {
  if ("groundingChunks" in said || "groundingSupports" in said) return { ...before, ...said };
  return {
    ...before,
    ...(groundingChunks !== undefined && { groundingChunks }),
    ...(groundingSupports !== undefined && { groundingSupports }),
    ...said,
  };
}

/** Pages that a search has found, or documents of the caller's, and what is from them. */
function groundingIn({ groundingChunks, groundingSupports }: JsonRecord): readonly Support[] {
  const sources = listOf(groundingChunks).map((chunk) => Object.values(recordOf(chunk)).find(isRecord));
  const supports = listOf(groundingSupports).map(recordOf);
  // Nobody says what is from them, and all the same they are what the answer is from.
  if (supports.length === 0) return sources.filter(isRecord).map((source) => toSupport(source, {}));
  return supports.flatMap(({ segment, groundingChunkIndices }) =>
    listOf(groundingChunkIndices).flatMap((index) => {
      const source = typeof index === "number" ? sources[index] : undefined;
      return source === undefined ? [] : [toSupport(source, recordOf(segment))];
    }),
  );
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
