/** What a stop string match is, read off the text with no cleverness at all: the yardstick for the real matcher. */
export interface OracleMatch {
  readonly stop: string;
  readonly start: number;
  readonly end: number;
}

/** The match that completes first; of several that complete at the same point, the longest. */
export function firstMatch(text: string, stops: readonly string[]): OracleMatch | undefined {
  for (let end = 1; end <= text.length; end++) {
    const complete = stops.filter((stop) => text.slice(0, end).endsWith(stop));
    if (complete.length === 0) continue;
    const stop = complete.reduce((longest, other) => (other.length > longest.length ? other : longest));
    return { stop, start: end - stop.length, end };
  }
  return undefined;
}

/** The longest end of the text that is a proper beginning of some stop string. */
export function heldLength(text: string, stops: readonly string[]): number {
  const longest = Math.max(0, ...stops.map((stop) => stop.length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const tail = text.slice(text.length - length);
    if (stops.some((stop) => stop.length > length && stop.startsWith(tail))) return length;
  }
  return 0;
}

/** Settings of the plain repetition rule. */
export interface PlainRepetition {
  readonly minPatternLength: number;
  readonly maxPatternLength: number;
  readonly minRepetitions: number;
  readonly windowSize: number;
}

/**
 * The plain repetition rule as somebody would write it down: after each symbol, for each length, compare the last
 * pattern with the ones before it. Returns where it first holds and what it found there.
 */
export function firstRepetition(
  symbols: ArrayLike<unknown>,
  { minPatternLength, maxPatternLength, minRepetitions, windowSize }: PlainRepetition,
): { readonly end: number; readonly length: number } | undefined {
  for (let end = 1; end <= symbols.length; end++) {
    const start = Math.max(0, end - windowSize);
    for (let length = minPatternLength; length <= maxPatternLength; length++) {
      if (countCopies(symbols, start, end, length, minRepetitions) >= minRepetitions) return { end, length };
    }
  }
  return undefined;
}

function countCopies(symbols: ArrayLike<unknown>, start: number, end: number, length: number, enough: number): number {
  let copies = end - length >= start ? 1 : 0;
  while (copies > 0 && copies < enough && end - (copies + 1) * length >= start) {
    for (let index = end - length; index < end; index++) {
      if (symbols[index] !== symbols[index - copies * length]) return copies;
    }
    copies += 1;
  }
  return copies;
}
