// @ts-check
import { StoppedEarly } from "../subject.mjs";

/**
 * (c) The seed's repetition algorithm as it is described there: keep a window of recent text; after each token take,
 * for each length, the most recent pattern of that length and count how often it stands in a row at the end.
 *
 * @type {import("../subject.mjs").Subject<PlainSettings>}
 */
export const plainRepetition = (settings, { texts }) => () => {
  const stopper = new RepetitionStopper(settings);
  let shown = 0;
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] ?? "";
    const found = stopper.push(text);
    if (found !== undefined) throw new StoppedEarly(found);
    shown += text.length;
  }
  return { shown, unit: "characters" };
};

/**
 * @typedef {object} PlainSettings
 * @property {number} minPatternLength
 * @property {number} maxPatternLength
 * @property {number} minRepetitions
 * @property {number} windowSize
 */

class RepetitionStopper {
  /** @param {PlainSettings} settings */
  constructor(settings) {
    this.settings = settings;
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
      let count = 1;
      // `startsWith` at an offset spares the copy that comparing two slices would make: measured, the fastest way.
      for (let at = window.length - 2 * length; at >= 0 && window.startsWith(pattern, at); at -= length) count += 1;
      if (count >= minRepetitions) return `${pattern} repeated ${count} times`;
    }
    return undefined;
  }
}
