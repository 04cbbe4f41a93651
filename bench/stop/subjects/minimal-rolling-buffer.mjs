// @ts-check
import { StoppedEarly } from "../subject.mjs";

/**
 * (a2) The rolling buffer giving the service that we give: only the longest end of the text that could begin a stop
 * string is held back, found by trying each string and each length.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const minimalRollingBuffer =
  ({ stops = [] }, { texts }) =>
  () => {
    const guard = new MinimalRollingBuffer(stops);
    let shown = 0;
    for (let index = 0; index < texts.length && !guard.stopped; index++) {
      shown += guard.push(texts[index] ?? "").length;
    }
    if (guard.stopped) throw new StoppedEarly("a stop string was found");
    return { shown: shown + guard.end().length, unit: "characters" };
  };

class MinimalRollingBuffer {
  /** @param {readonly string[]} stops */
  constructor(stops) {
    this.stops = stops;
    // Cut once: cutting them anew for every token would make the peer slower than it needs to be.
    this.beginnings = stops.map((stop) => Array.from({ length: stop.length - 1 }, (_, cut) => stop.slice(0, cut + 1)));
    this.buffer = "";
    this.stopped = false;
  }

  /**
   * @param {string} chunk
   * @returns {string}
   */
  push(chunk) {
    this.buffer += chunk;
    for (const stop of this.stops) {
      if (this.buffer.includes(stop)) {
        this.stopped = true;
        return this.buffer.slice(0, this.buffer.indexOf(stop));
      }
    }
    const held = this.heldLength();
    const shown = held === 0 ? this.buffer : this.buffer.slice(0, this.buffer.length - held);
    this.buffer = held === 0 ? "" : this.buffer.slice(-held);
    return shown;
  }

  /** @returns {number} */
  heldLength() {
    let longest = 0;
    for (const beginnings of this.beginnings) {
      for (let length = beginnings.length; length > longest; length--) {
        if (this.buffer.endsWith(beginnings[length - 1] ?? "")) longest = length;
      }
    }
    return longest;
  }

  /** @returns {string} */
  end() {
    const rest = this.buffer;
    this.buffer = "";
    return rest;
  }
}
