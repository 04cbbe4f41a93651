// @ts-check
import { StoppedEarly } from "../subject.mjs";

/**
 * (c) The plain repetition algorithm: keep a window of recent text; after each token take,
 * for each length, the most recent pattern of that length and count how often it stands in a row at the end.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const plainRepetition = ({ settings, compare = "in place" }, { texts }) => {
  if (settings === undefined) throw new Error("the plain algorithm needs its settings");
  const countCopies = compare === "slices" ? countBySlices : countInPlace;
  return () => {
    const stopper = new RepetitionStopper(settings, countCopies);
    let shown = 0;
    for (let index = 0; index < texts.length; index++) {
      const text = texts[index] ?? "";
      const found = stopper.push(text);
      if (found !== undefined) throw new StoppedEarly(found);
      shown += text.length;
    }
    return { shown, unit: "characters" };
  };
};

class RepetitionStopper {
  /**
   * @param {import("../subject.mjs").PlainSettings} settings
   * @param {(window: string, pattern: string) => number} countCopies
   */
  constructor(settings, countCopies) {
    this.settings = settings;
    this.countCopies = countCopies;
    this.window = "";
  }

  /**
   * @param {string} token
   * @returns {string | undefined} What was found.
   */
  push(token) {
    const { minPatternLength, maxPatternLength, minRepetitions, windowSize } = this.settings;
    this.window = (this.window + token).slice(-windowSize);
    const window = this.window;
    for (let length = minPatternLength; length <= maxPatternLength && length <= window.length; length++) {
      const pattern = window.slice(-length);
      const count = this.countCopies(window, pattern);
      if (count >= minRepetitions) return `${pattern} repeated ${count} times`;
    }
    return undefined;
  }
}

/**
 * Compares with `startsWith` at an offset, which copies nothing: of the plain ways the fastest.
 *
 * @param {string} window
 * @param {string} pattern
 * @returns {number}
 */
function countInPlace(window, pattern) {
  const { length } = pattern;
  let count = 1;
  for (let at = window.length - 2 * length; at >= 0 && window.startsWith(pattern, at); at -= length) count += 1;
  return count;
}

/**
 * Takes each earlier stretch out of the window and compares it, which is the first thing one would write.
 *
 * @param {string} window
 * @param {string} pattern
 * @returns {number}
 */
function countBySlices(window, pattern) {
  const { length } = pattern;
  let count = 1;
  for (let at = window.length - 2 * length; at >= 0 && window.slice(at, at + length) === pattern; at -= length) {
    count += 1;
  }
  return count;
}
