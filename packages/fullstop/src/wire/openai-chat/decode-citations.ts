import { isRecord, listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { Answer } from "../reading/answer.ts";
import { annotationToCitation, toCitation } from "../reading/citation.ts";

/** How many annotations are remembered, so that those that come again are known. */
const MOST_ANNOTATIONS = 10_000;

/** Reads who is quoted, in the ways of those who speak Chat Completions. Many say it again with every piece. */
export class ChatCitationReader {
  readonly #answer: Answer;
  readonly #told = new Set<string>();
  #sources = 0;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  /** The annotations of a message: a page, and which part of the text is from there. */
  readAnnotations(annotations: readonly unknown[]): void {
    for (const annotation of annotations) {
      if (!isRecord(annotation)) continue;
      const key = JSON.stringify(annotation);
      if (this.#told.has(key) || this.#told.size === MOST_ANNOTATIONS) continue;
      this.#told.add(key);
      this.#answer.citation(annotationToCitation(annotation, 0));
    }
  }

  /** Perplexity's and xAI's list of pages. The text refers to them by their numbers, if it does. */
  readSources({ citations, search_results: results }: JsonRecord): void {
    // The results have the addresses as well, where there is no list of those.
    const pages = listOf(citations ?? results);
    // They come again with every piece.
    if (pages.length <= this.#sources) return;
    const found = listOf(results).map(recordOf);
    const urls = pages.slice(this.#sources).map((page) => (isRecord(page) ? page["url"] : page));
    this.#sources = pages.length;
    const titles = new Map(found.map((result) => [result["url"], result["title"]]));
    for (const url of urls) {
      if (stringOf(url) !== "") this.#answer.citation(toCitation(url, { url, title: titles.get(url) }));
    }
  }
}
