/** A quick look whether a stop string is in a large piece of text. */
export interface StopSearch {
  /** False if no stop string is in the piece. True if one is, or if the piece is too small for the look to pay. */
  mayBeIn(text: string): boolean;
  /** How many characters at the end of a piece without a stop string can be the beginning of one. */
  readonly tail: number;
}

/** With more letters in all than this, the search could be slow on text that nearly matches everywhere. */
const MOST_LETTERS = 64;
const LARGE_PIECE = 2048;

/**
 * Makes a search for stop strings, if there are few. The guard walks through every letter with a table, for any number
 * of strings; in chunks of 64 kB, a regular expression finds out in half the time that none of a few is there.
 */
export function createStopSearch(stops: readonly string[]): StopSearch | undefined {
  const letters = stops.join("").length;
  if (letters === 0 || letters > MOST_LETTERS) return undefined;
  // By code units and not by characters, as the guard reads them.
  const pattern = new RegExp(stops.map((text) => text.replaceAll(/\W/g, "\\$&")).join("|"));
  return {
    mayBeIn: (text) => text.length < LARGE_PIECE || pattern.test(text),
    tail: Math.max(...stops.map(({ length }) => length)),
  };
}
