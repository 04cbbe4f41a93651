/** How many characters a sentence may still have. After them the end of a word will do. */
export const MOST_CHARACTERS = 1000;

/** How many characters the last word may have beyond them. */
export const LONGEST_WORD = 100;

/** What ends a sentence wherever it stands. */
const FULL_STOPS: ReadonlySet<string> = new Set("。！？｡؟۔।॥።။។։");

/** What ends a sentence only in front of a space: it also stands in numbers, addresses and names. */
const SPACED_FULL_STOPS: ReadonlySet<string> = new Set(".!?…");

/** What may close behind a full stop, and belongs to the sentence. */
const CLOSING = /^[\p{Pe}\p{Pf}"'*_]$/u;

const SPACE = /^\s$/u;

/** Words after which a point is none of the sentence's. */
const ABBREVIATIONS: ReadonlySet<string> = new Set(
  "mr mrs ms dr prof st vs cf al approx fig figs vol pp ed eds inc ltd jr sr gen rep sen bzw ca nr abb evtl ggf".split(
    " ",
  ),
);

/** The longest word that is looked at in front of a point. */
const LONGEST_LOOK = 24;

/** A single letter, or the last one of several with points between them: "e.g", "U.S", "J". */
const SINGLE_LETTER = /(?:^|[^\p{L}\p{N}])(?<letter>[\p{Lu}\p{Ll}])$/u;

/** The number of an item in a list. */
const ITEM_NUMBER = /^\p{Ps}?\d{1,3}$/u;

type Place =
  /** No sentence has begun since the last one. */
  | "between"
  | "inside"
  /** Behind a full stop that needs a space. */
  | "behind a point"
  /** Behind a full stop that needs nothing. */
  | "behind an end";

/** Looks for the end of the sentence that a text is in. How the text is cut into pieces makes no difference. */
export class SentenceScanner {
  #place: Place = "between";
  /** What stands between the last space and here. */
  #word = "";
  #isFirstOnLine = true;
  #count = 0;

  /** Begins in the middle of a text, behind the last characters that were written. */
  constructor(before: string) {
    for (let index = 0; index < before.length; index += 1) this.#advance(before.charAt(index));
  }

  /** Whether no sentence is under way where it has begun: a point behind a digit may be the middle of a number. */
  get isBetween(): boolean {
    return this.#place === "behind a point" ? !/\d\.$/u.test(this.#word) : this.#place !== "inside";
  }

  /** Reads on. Returns how much of the piece belongs to the sentence, if that ends in it; or undefined. */
  read(piece: string): number | undefined {
    for (let index = 0; index < piece.length; index += 1) {
      const character = piece.charAt(index);
      this.#count += 1;
      if (this.#isTooLong(character) || this.#advance(character)) return index;
    }
    return undefined;
  }

  #isTooLong(character: string): boolean {
    if (this.#count <= MOST_CHARACTERS) return false;
    if (this.#count > MOST_CHARACTERS + LONGEST_WORD) return !isLowSurrogate(character);
    return SPACE.test(character);
  }

  /** Takes one character. True if a sentence has ended in front of it. */
  #advance(character: string): boolean {
    const before = this.#place;
    const isSpace = SPACE.test(character);
    this.#place = this.#placeAfter(character, isSpace);
    if (isSpace) {
      this.#isFirstOnLine = character === "\n" || (this.#isFirstOnLine && this.#word === "");
      this.#word = "";
    } else {
      this.#word = (this.#word + character).slice(-LONGEST_LOOK);
    }
    return this.#place === "between" ? before !== "between" : before === "behind an end" && this.#place === "inside";
  }

  #placeAfter(character: string, isSpace: boolean): Place {
    const place = this.#place;
    if (isSpace) return place === "inside" && character !== "\n" ? "inside" : "between";
    if (FULL_STOPS.has(character)) return "behind an end";
    const isBehind = place === "behind an end" || place === "behind a point";
    if (isBehind && (SPACED_FULL_STOPS.has(character) || CLOSING.test(character))) return place;
    if (character === "." && this.#isAbbreviated()) return "inside";
    return SPACED_FULL_STOPS.has(character) ? "behind a point" : "inside";
  }

  #isAbbreviated(): boolean {
    if (this.#isFirstOnLine && ITEM_NUMBER.test(this.#word)) return true;
    const letter = SINGLE_LETTER.exec(this.#word)?.groups?.["letter"];
    // "So do I." is a sentence.
    if (letter !== undefined) return letter !== "I" || this.#word.includes(".");
    return ABBREVIATIONS.has(this.#word.replace(/^[\p{Ps}\p{Pi}"'*_]+/u, "").toLowerCase());
  }
}

function isLowSurrogate(character: string): boolean {
  return character >= "\uDC00" && character <= "\uDFFF";
}
