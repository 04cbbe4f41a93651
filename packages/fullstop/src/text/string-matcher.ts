import { classOf, createAlphabet, foldCase } from "./alphabet.ts";
import { createAutomaton } from "./automaton.ts";
import type { Automaton } from "./automaton.ts";

/** Strings to look for, compiled once for any number of texts. */
export interface StringSet {
  readonly strings: readonly string[];
  readonly automaton: Automaton;
}

/** Compiles distinct, non-empty strings. With `caseInsensitive` they must differ in more than case. */
export function createStringSet(strings: readonly string[], caseInsensitive = false): StringSet {
  const folded = caseInsensitive ? strings.map((text) => foldCase(text)) : strings;
  return { strings, automaton: createAutomaton(folded, createAlphabet(folded, caseInsensitive)) };
}

/** A string that was found. */
export interface StringMatch {
  /** Which of the set's strings it is. Of several that end at the same point, the longest. */
  readonly index: number;
  readonly length: number;
  /** Where it ends, as an index into the piece just read. It may have begun in an earlier one. */
  readonly end: number;
}

/** Follows one text through a set of strings, however the text is cut into pieces. */
export class StringMatcher {
  readonly #strings: readonly string[];
  readonly #automaton: Automaton;
  #state = 0;

  constructor(set: StringSet) {
    this.#strings = set.strings;
    this.#automaton = set.automaton;
  }

  /** Reads a piece up to the first match. Nothing after a match has been read. */
  scan(text: string): StringMatch | undefined {
    const end = this.#walk(text, 0);
    if (end === 0) return undefined;
    const index = this.#automaton.matchAt(this.#state);
    return { index, length: this.#strings[index]!.length, end };
  }

  /** Reads a whole piece and lets matches pass. */
  skim(text: string): undefined {
    let end = this.#walk(text, 0);
    while (end !== 0) end = this.#walk(text, end);
    return undefined;
  }

  /** How many code units at the end of the text read so far could still become part of a match. */
  get held(): number {
    return this.#state === 0 ? 0 : this.#automaton.heldAt(this.#state);
  }

  /** Forgets what was read: the next piece does not continue it. */
  reset(): void {
    this.#state = 0;
  }

  /** Moves the state from an index to the first match or the end; returns the index after the match, or 0. */
  #walk(text: string, from: number): number {
    const { alphabet, begins, rows, rowsEnd } = this.#automaton;
    const { lowClasses } = alphabet;
    const { length } = text;
    let state = this.#state;
    let index = from;
    // Most pieces are read to their end right here: a loop of its own for the start state takes a sixth off the time.
    if (state === 0) while (index < length && begins[text.charCodeAt(index) & 0xff] === 0) index += 1;
    for (; index < length; index++) {
      const unit = text.charCodeAt(index);
      if (state === 0 && begins[unit & 0xff] === 0) continue;
      const unitClass = unit < lowClasses.length ? lowClasses[unit]! : classOf(alphabet, unit);
      state = state < rowsEnd ? rows[state + unitClass]! : this.#automaton.deepStep(state, unitClass);
      if (state < 0) {
        this.#state = ~state;
        return index + 1;
      }
    }
    this.#state = state;
    return 0;
  }
}
