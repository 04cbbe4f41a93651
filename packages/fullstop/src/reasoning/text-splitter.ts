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
  /** The tokens of the text that has not been passed on to its end; undefined where they are not known. */
  #tokenIds: readonly number[] | undefined = NO_TOKENS;
  #matcher: StringMatcher;

  constructor(next: Sink<GenerationEvent>, markers: CompiledMarkers, settings: SplitterSettings) {
    this.#next = next;
    this.#markers = markers;
    this.#keepMarkers = settings.keepMarkers;
    this.#side = settings.startsInReasoning ? "reasoning" : "text";
    this.#matcher = new StringMatcher(settings.startsInReasoning ? markers.anyClosing : markers.opening);
  }

  push(event: GenerationEvent): void {
    if (event.type === "text") this.#read(event);
    else {
      // Whatever comes between two pieces of text ends a marker that had begun. Counts and empty pieces are nothing.
      const isNothing = event.type === "reasoning" && event.text === "" && event.tokenIds === undefined;
      if (!isNothing && !BESIDE_TEXT.has(event.type)) this.#flush();
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
    this.#takeTokens(tokenIds);
    let rest = text;
    for (let match = this.#matcher.scan(rest); match !== undefined; match = this.#matcher.scan(rest)) {
      this.#held.add(rest.slice(0, match.end));
      rest = rest.slice(match.end);
      this.#write(this.#held.release(this.#held.length - match.length), rest === "" && !this.#keepMarkers);
      this.#cross(match.index, rest === "");
    }
    this.#held.add(rest);
    const held = this.#matcher.held;
    this.#write(this.#held.release(this.#held.length - held), held === 0);
  }

  /** Goes to the other side of a marker, which is now all that is held. */
  #cross(index: number, isLast: boolean): void {
    const { closing, opening } = this.#markers;
    const marker = this.#held.releaseAll();
    const opens = this.#side === "text";
    if (opens) this.#side = "reasoning";
    if (this.#keepMarkers) this.#write(marker, isLast);
    if (!opens) this.#side = "text";
    this.#matcher = new StringMatcher(opens ? closing[index]! : opening);
  }

  #flush(): void {
    this.#matcher.reset();
    this.#write(this.#held.releaseAll(), true);
  }

  /** Notes the tokens of a piece; a piece of unknown tokens counts as one. */
  #takeTokens(tokenIds: readonly number[] | undefined): void {
    if (tokenIds === undefined) this.#tokenIds = undefined;
    else this.#tokenIds = [...(this.#tokenIds ?? []), ...tokenIds];
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

/** What may stand between two pieces of one text. */
const BESIDE_TEXT: ReadonlySet<GenerationEvent["type"]> = new Set(["start", "citation", "usage"]);
