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
    anyClosing: createStringSet([...new Set(pairs.map(({ close }) => close))]),
  };
}

/** Finds markers in the text itself, wherever the source has cut it. */
export class TextSplitter implements Sink<GenerationEvent> {
  readonly #next: Sink<GenerationEvent>;
  readonly #markers: CompiledMarkers;
  readonly #keepMarkers: boolean;
  readonly #held = new HeldText();
  #side: "text" | "reasoning";
  #matcher: StringMatcher;

  constructor(next: Sink<GenerationEvent>, markers: CompiledMarkers, settings: SplitterSettings) {
    this.#next = next;
    this.#markers = markers;
    this.#keepMarkers = settings.keepMarkers;
    this.#side = settings.startsInReasoning ? "reasoning" : "text";
    this.#matcher = new StringMatcher(settings.startsInReasoning ? markers.anyClosing : markers.opening);
  }

  push(event: GenerationEvent): void {
    if (event.type === "text") {
      this.#read(event);
      return;
    }
    // Whatever comes between two pieces of text ends a marker that had begun; counts do not come between.
    if (event.type !== "usage" && event.type !== "start") this.#flush();
    this.#next.push(event);
  }

  end(): void {
    this.#flush();
    this.#next.end();
  }

  #read(event: TextEvent): void {
    // The tokens of a piece go with its first part: there is no telling which belong to which.
    let tokenIds = event.tokenIds;
    let rest = event.text;
    for (let match = this.#matcher.scan(rest); match !== undefined; match = this.#matcher.scan(rest)) {
      this.#held.add(rest.slice(0, match.end));
      rest = rest.slice(match.end);
      this.#write(this.#held.release(this.#held.length - match.length), tokenIds);
      tokenIds = undefined;
      this.#cross(match.index);
    }
    if (rest !== "") this.#held.add(rest);
    this.#write(this.#held.release(this.#held.length - this.#matcher.held), tokenIds);
  }

  /** Goes to the other side of a marker, which is now all that is held. */
  #cross(index: number): void {
    const { closing, opening } = this.#markers;
    const marker = this.#held.releaseAll();
    const opens = this.#side === "text";
    if (opens) this.#side = "reasoning";
    if (this.#keepMarkers) this.#write(marker, undefined);
    if (!opens) this.#side = "text";
    this.#matcher = new StringMatcher(opens ? closing[index]! : opening);
  }

  #flush(): void {
    this.#matcher.reset();
    this.#write(this.#held.releaseAll(), undefined);
  }

  #write(text: string, tokenIds: readonly number[] | undefined): void {
    if (text !== "" || tokenIds !== undefined) this.#next.push({ type: this.#side, text, tokenIds });
  }
}
