import type { GenerationEvent, TextEvent } from "../events.ts";
import type { Sink } from "../stage.ts";
import { HeldText } from "../text/held-text.ts";
import { StringMatcher, createStringSet } from "../text/string-matcher.ts";
import type { StringSet } from "../text/string-matcher.ts";
import type { ReasoningMarkers } from "./markers.ts";

/** What both kinds of splitter are told. */
export interface SplitterSettings {
  readonly startsInReasoning: boolean;
  readonly keepMarkers: boolean;
}

/** Markers compiled for search in text. */
export interface CompiledMarkers {
  readonly opening: StringSet;
  /** The closing marker of each opening one. */
  readonly closing: readonly StringSet[];
  /** All closing markers: a block that the prompt has opened may be of any kind. */
  readonly anyClosing: StringSet;
}

/** Compiles pairs of markers. Of pairs that open alike the first one counts. */
export function compileMarkers(markers: readonly ReasoningMarkers[]): CompiledMarkers {
  const pairs = markers.filter(({ open }, index) => markers.findIndex((other) => other.open === open) === index);
  return {
    opening: createStringSet(pairs.map(({ open }) => open)),
    closing: pairs.map(({ close }) => createStringSet([close])),
    anyClosing: createStringSet(pairs.map(({ close }) => close)),
  };
}

/** Finds markers in the text itself, wherever the source has cut it. */
export class TextSplitter implements Sink<GenerationEvent> {
  readonly #next: Sink<GenerationEvent>;
  readonly #markers: CompiledMarkers;
  readonly #keepMarkers: boolean;
  readonly #held = new HeldText();
  /** The tokens of the text that has not been passed on to its end; undefined where they are not known. */
  #tokenIds: readonly number[] | undefined = NO_TOKENS;
  #matcher: StringMatcher;
  /** How much text has been looked at. */
  #taken = 0;
  /** Where in that text thinking begins and ends, in turn: citations count without it. */
  readonly #edges: number[];

  constructor(next: Sink<GenerationEvent>, markers: CompiledMarkers, settings: SplitterSettings) {
    this.#next = next;
    this.#markers = markers;
    this.#keepMarkers = settings.keepMarkers;
    this.#edges = settings.startsInReasoning ? [0] : [];
    this.#matcher = new StringMatcher(settings.startsInReasoning ? markers.anyClosing : markers.opening);
  }

  get #side(): "text" | "reasoning" {
    return this.#edges.length % 2 === 1 ? "reasoning" : "text";
  }

  push(event: GenerationEvent): void {
    if (event.type === "text") this.#read(event);
    else if (event.type === "citation") {
      // No part of the text, so that it ends no marker.
      this.#next.push({ ...event, start: this.#move(event.start), end: this.#move(event.end) });
    } else {
      // Whatever comes between two pieces of text ends a marker that had begun. Counts and empty pieces are nothing.
      const isNothing = event.type === "reasoning" && event.text === "" && event.tokenIds === undefined;
      if (event.type !== "usage" && event.type !== "start" && !isNothing) this.#flush();
      this.#next.push(event);
    }
  }

  end(): void {
    this.#flush();
    this.#next.end();
  }

  #read({ text, tokenIds }: TextEvent): void {
    if (text === "") {
      if (tokenIds === undefined) return;
      // A token without text may be the model's end token, so what is held must be out before it passes.
      this.#flush();
      this.#next.push({ type: this.#side, text, tokenIds });
      return;
    }
    // A piece of unknown tokens counts as one.
    this.#tokenIds = tokenIds && [...(this.#tokenIds ?? []), ...tokenIds];
    this.#taken += text.length;
    let rest = text;
    for (let match = this.#matcher.scan(rest); match !== undefined; match = this.#matcher.scan(rest)) {
      this.#held.add(rest.slice(0, match.end));
      rest = rest.slice(match.end);
      this.#write(this.#held.release(this.#held.length - match.length), rest === "" && !this.#keepMarkers);
      this.#cross(match.index, rest);
    }
    this.#held.add(rest);
    const held = this.#matcher.held;
    this.#write(this.#held.release(this.#held.length - held), held === 0);
  }

  /** Goes to the other side of a marker, which is now all that is held. */
  #cross(index: number, rest: string): void {
    const { closing, opening } = this.#markers;
    const marker = this.#held.releaseAll();
    const opens = this.#side === "text";
    const end = this.#taken - rest.length;
    if (opens) this.#edges.push(end - marker.length);
    if (this.#keepMarkers) this.#write(marker, rest === "");
    if (!opens) this.#edges.push(end);
    this.#matcher = new StringMatcher(opens ? closing[index]! : opening);
  }

  /** Where a place is in what is left of the text: an edge takes away all behind it, and the next gives it back. */
  #move(place: number | undefined): number | undefined {
    if (place === undefined) return place;
    return this.#edges.reduce((left, edge, index) => left - Math.max(0, place - edge) * (-1) ** index, place);
  }

  #flush(): void {
    this.#matcher.reset();
    this.#write(this.#held.releaseAll(), true);
  }

  /**
   * Passes text on. Its tokens go with the last part of a piece, when nothing of it is held any more: a guard that
   * ends the generation at a token must have seen all text up to it. The other parts say that they bring none.
   */
  #write(text: string, isLast: boolean): void {
    const tokenIds = isLast ? this.#tokenIds : NO_TOKENS;
    if (isLast) this.#tokenIds = NO_TOKENS;
    if (text !== "" || (tokenIds !== undefined && tokenIds.length > 0)) {
      this.#next.push({ type: this.#side, text, tokenIds });
    }
  }
}

const NO_TOKENS: readonly number[] = [];
