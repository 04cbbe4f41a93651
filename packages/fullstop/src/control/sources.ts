import type { CitationEvent, GenerationEvent } from "../events.ts";

/** Something that an answer quotes: a page, a document. It has an address, a title or at least its own words. */
export interface Source {
  /** What to call it, on one line that is not long: its title, else the host of its address, its words, its address. */
  readonly name: string;
  /** Its address on the web. It is all that may become a link: what begins in any other way can be code. */
  readonly link?: string | undefined;
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  /** The words that were quoted first. */
  readonly quote?: string | undefined;
  /** Where in all of the text what is quoted from it ends, in UTF-16 code units, as far as that is known. */
  readonly ends: readonly number[];
}

/** A citation with its place in all of the text. */
interface Cited {
  readonly citation: CitationEvent;
  /** The stretch that it is for; undefined if its provider does not tell. */
  readonly range: { readonly start: number; readonly end: number } | undefined;
  /** How far the text has to reach so that it stays when some of the text is taken back. */
  readonly reach: number;
}

/** A longer name is cut, because a list of sources is there to be glanced at. */
const LONGEST_NAME = 120;

/**
 * The sources of a text that grows, each once, in the order in which they are first cited. What stands in a text that
 * is taken back, or never came because a stop rule has cut it off, is no source of what can be seen.
 */
export class SourceList {
  /** The citations of answers that are over, which stay, and of the one under way. */
  #settled: readonly Cited[] = [];
  #cited: Cited[] = [];
  /** Where the answer under way begins, and where the text ends. */
  #start = 0;
  #end = 0;
  /** How far the text has to come so that all that is cited of it is there. */
  #awaited = 0;
  #sources: readonly Source[] | undefined;

  /** Takes one more event. Only text and citations matter. */
  add(event: GenerationEvent): void {
    if (event.type === "text") {
      if (this.#end < this.#awaited) this.#sources = undefined;
      this.#end += event.text.length;
    } else if (event.type === "citation" && isSource(event)) {
      this.#cited.push(this.#place(event));
      this.#sources = undefined;
    }
  }

  /** Another answer begins below this one, and its places are counted anew. */
  startAnswer(): void {
    this.#settled = this.#shown();
    this.#cited = [];
    this.#start = this.#end;
  }

  /** The text of the answer under way is taken back but for its first characters. */
  rewind(keep: number): void {
    this.#end = Math.min(this.#end, this.#start + keep);
    // Of an answer that begins anew nothing is quoted yet, not even by a citation without a place.
    this.#cited = keep === 0 ? [] : this.#cited.filter(({ reach }) => reach <= this.#end);
    this.#sources = undefined;
  }

  /** The sources of what is there by now. */
  get sources(): readonly Source[] {
    this.#sources ??= sourcesOf(this.#shown());
    return this.#sources;
  }

  /** The citations of what is there, up to where it ends. */
  #shown(): readonly Cited[] {
    const shown = [...this.#settled];
    for (const cited of this.#cited) {
      const { range } = cited;
      if (range === undefined) shown.push(cited);
      else if (range.start < this.#end) {
        shown.push({ ...cited, range: { start: range.start, end: Math.min(range.end, this.#end) } });
      }
    }
    return shown;
  }

  #place(citation: CitationEvent): Cited {
    const { start, end } = citation;
    if (start === undefined || end === undefined) return { citation, range: undefined, reach: this.#end };
    const range = { start: start + this.#start, end: end + this.#start };
    this.#awaited = Math.max(this.#awaited, range.end);
    return { citation, range, reach: range.end };
  }
}

/** A citation that says nothing is for its own dialect only. */
function isSource({ url, title, quote }: CitationEvent): boolean {
  return url !== undefined || title !== undefined || quote !== undefined;
}

interface OpenSource {
  readonly url: string | undefined;
  title: string | undefined;
  quote: string | undefined;
  readonly ends: Set<number>;
}

function sourcesOf(cited: readonly Cited[]): readonly Source[] {
  const found = new Map<string, OpenSource>();
  for (const { citation, range } of cited) {
    const { url, quote } = citation;
    // Dialects that ask for a title have the address in its place.
    const title = citation.title === url ? undefined : citation.title;
    const key = JSON.stringify(url === undefined ? [title ?? null, title === undefined ? quote : null] : url);
    const source = found.get(key) ?? { url, title, quote, ends: new Set<number>() };
    // Some providers tell the title or the words only the second time.
    source.title ??= title;
    source.quote ??= quote;
    if (range !== undefined) source.ends.add(range.end);
    found.set(key, source);
  }
  return Array.from(found.values(), close);
}

function close({ url, title, quote, ends }: OpenSource): Source {
  const address = readAddress(url);
  return {
    name: nameOf([title, address?.host, quote === undefined ? undefined : `“${quote}”`, url]),
    ...(address !== undefined && { link: address.href }),
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(quote !== undefined && { quote }),
    ends: [...ends],
  };
}

function readAddress(url: string | undefined): URL | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const address = new URL(url);
  return address.protocol === "http:" || address.protocol === "https:" ? address : undefined;
}

/** The first of these in which there is something to see, on one line. */
function nameOf(candidates: readonly (string | undefined)[]): string {
  const name = candidates.find((candidate) => candidate !== undefined && /[\p{L}\p{N}\p{P}\p{S}]/u.test(candidate));
  const line = (name ?? "?")
    .slice(0, 4 * LONGEST_NAME)
    .replaceAll(/\s+/gu, " ")
    .trim();
  if (line.length <= LONGEST_NAME) return line;
  // Half a character would be shown as a box.
  return `${line
    .slice(0, LONGEST_NAME - 1)
    .replace(/[\uD800-\uDBFF]$/u, "")
    .trimEnd()}…`;
}
