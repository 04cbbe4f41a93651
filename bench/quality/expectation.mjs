// @ts-check

/**
 * The documented rule of the default repetition profile (packages/fullstop/src/stop/repetition-profiles.ts), read
 * again and written down by itself: nothing here calls the library. A loop is a run of at least five copies of its
 * shortest unit that is also long enough for what it is made of.
 */
const FILLER_LENGTH = 2500;
const NUMBER_LENGTH = 1000;
const SHORT_WORDS_LENGTH = 400;
const WORDS_LENGTH = 300;
const LEAST_COPIES = 5;

/**
 * What a repeated unit is: how long its shortest period is, of what kind, and how long a run must be to count.
 *
 * @typedef {object} Expectation
 * @property {number} period
 * @property {"words" | "numbers" | "filler"} kind
 * @property {number} threshold In characters, the first copy included.
 */

/**
 * @param {string} unit What repeats, perhaps itself made of copies of something shorter.
 * @returns {Expectation}
 */
export function expectLoop(unit) {
  const period = shortestPeriod(unit);
  const kind = kindOf(unit.slice(0, period));
  const words = period < 16 ? SHORT_WORDS_LENGTH : WORDS_LENGTH;
  const length = { words, numbers: NUMBER_LENGTH, filler: FILLER_LENGTH }[kind];
  return { period, kind, threshold: Math.max(length, LEAST_COPIES * period) };
}

/**
 * @param {string} unit
 * @returns {number}
 */
function shortestPeriod(unit) {
  for (let period = 1; period < unit.length; period++) {
    if (unit.length % period === 0 && unit.slice(0, period).repeat(unit.length / period) === unit) return period;
  }
  return unit.length;
}

/**
 * @param {string} unit
 * @returns {"words" | "numbers" | "filler"}
 */
function kindOf(unit) {
  // Code units, not characters: the halves of an emoji count as letters of their own.
  const units = unit.split("");
  const letters = new Set(units.filter((one) => isLetter(one)).map((one) => one.toLowerCase()));
  const digits = new Set(units.filter((one) => /^[0-9]$/u.test(one)));
  if (letters.size >= 3) return "words";
  return letters.size + digits.size < 3 ? "filler" : "numbers";
}

/**
 * @param {string} unit
 * @returns {boolean}
 */
function isLetter(unit) {
  return /^\p{L}$/u.test(unit) || /^[\ud800-\udfff]$/u.test(unit);
}

/**
 * Where a run with this period begins, looked for backwards from its end: a lead-in may by chance end as the unit does.
 *
 * @param {string} text
 * @param {number} from A point inside the run's first copy, or its beginning.
 * @param {number} period
 * @returns {number}
 */
export function runStart(text, from, period) {
  let start = from;
  while (start > 0 && text[start - 1] === text[start - 1 + period]) start -= 1;
  return start;
}
