import type { PeriodProfile } from "./period-detector.ts";

/**
 * The plain rule: a pattern of `shortest` to `longest` symbols, `repetitions` times in a row. A shorter unit
 * counts through its smallest multiple in that range, as it would for somebody who compares patterns of each
 * length in turn.
 */
export function createFixedProfile(
  shortest: number,
  longest: number,
  repetitions: number,
  windowSize: number,
): PeriodProfile {
  const firstLook = new Int32Array(longest + 1);
  const reportedUnit = (period: number): number => period * Math.ceil(shortest / period);
  for (let period = 1; period <= longest; period++) {
    const covered = reportedUnit(period) * repetitions;
    if (reportedUnit(period) <= longest && covered <= windowSize) firstLook[period] = covered - period;
  }
  return { longestPeriod: longest, firstLook, reportedUnit };
}

/**
 * How much of a run the default profile wants to see, in characters, by what repeats. Measured on 300 MB of
 * Markdown, source code and manuals: the longest runs that people write on purpose are rules, borders, padding
 * and tables of zeros of up to 2,000 characters, number tables of up to 900, and words in markup of up to 310.
 */
const FILLER_LENGTH = 2500;
const NUMBER_LENGTH = 1000;
const SHORT_WORDS_LENGTH = 400;
const WORDS_LENGTH = 300;
/** Copies that even a long unit must have. A chorus is sung four times. */
const LEAST_COPIES = 5;
/** Units below this length are more often markup than speech. */
const SHORT_UNIT = 16;
/** The longest period for which the detector's window is 4,096 symbols. */
const LONGEST_PERIOD = 2032;

/** Weighs evidence in characters: little for sentences, more for numbers, most for filler. */
export const DEFAULT_TEXT_PROFILE: PeriodProfile = {
  longestPeriod: LONGEST_PERIOD,
  firstLook: firstLooks((period) => wordsLength(period)),
  streakNeeded(period, symbolAt) {
    const kind = classify(period, symbolAt);
    const length = kind === "words" ? wordsLength(period) : kind === "numbers" ? NUMBER_LENGTH : FILLER_LENGTH;
    return Math.max(length, LEAST_COPIES * period) - period;
  },
};

/** The same idea in token ids, of which nothing but their equality is known. */
export const DEFAULT_TOKEN_PROFILE: PeriodProfile = {
  longestPeriod: LONGEST_PERIOD,
  firstLook: firstLooks((period) => (period === 1 ? 512 : period < 4 ? 256 : 128)),
};

function wordsLength(period: number): number {
  return period < SHORT_UNIT ? SHORT_WORDS_LENGTH : WORDS_LENGTH;
}

function firstLooks(lengthFor: (period: number) => number): Int32Array {
  const firstLook = new Int32Array(LONGEST_PERIOD + 1);
  for (let period = 1; period <= LONGEST_PERIOD; period++) {
    firstLook[period] = Math.max(lengthFor(period), LEAST_COPIES * period) - period;
  }
  return firstLook;
}

/** Fewer different letters and digits than this make a rule, a border or padding, whatever else is in it. */
const FILLER_VARIETY = 3;
/** With fewer different letters than this, what varies is digits. */
const WORD_VARIETY = 3;

function classify(period: number, symbolAt: (back: number) => number): "words" | "numbers" | "filler" {
  const letters = new Set<number>();
  const digits = new Set<number>();
  for (let back = 0; back < period; back++) {
    const unit = symbolAt(back);
    if (isDigit(unit)) digits.add(unit);
    else if (isLetter(unit)) letters.add(unit < 0x80 ? unit | 0x20 : unit);
    if (letters.size >= WORD_VARIETY) return "words";
  }
  return letters.size + digits.size < FILLER_VARIETY ? "filler" : "numbers";
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** Letters of any script; halves of characters beyond the basic plane count as letters too, so that emoji do. */
function isLetter(unit: number): boolean {
  if (unit < 0x80) return (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
  return (unit >= 0xd800 && unit <= 0xdfff) || /\p{L}/u.test(String.fromCharCode(unit));
}
