// @ts-check
import { StoppedEarly } from "../subject.mjs";

/**
 * (a) The obvious way: keep the end of the text in a buffer, search it for each string with `includes`, and show all
 * but the last few characters, in which a string could have begun. It always holds back as much as the longest
 * string has, less one; it cannot say which string came first.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const rollingBuffer = ({ stops = [] }, { texts }) => {
  const keep = Math.max(...stops.map((stop) => stop.length)) - 1;
  return () => {
    const guard = new RollingBuffer(stops, keep);
    let shown = 0;
    for (let index = 0; index < texts.length && !guard.stopped; index++) {
      shown += guard.push(texts[index] ?? "").length;
    }
    if (guard.stopped) throw new StoppedEarly("a stop string was found");
    return { shown: shown + guard.end().length, unit: "characters" };
  };
};

class RollingBuffer {
  /**
   * @param {readonly string[]} stops
   * @param {number} keep
   */
  constructor(stops, keep) {
    this.stops = stops;
    this.keep = keep;
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
    if (this.buffer.length <= this.keep) return "";
    const shown = this.buffer.slice(0, this.buffer.length - this.keep);
    this.buffer = this.buffer.slice(-this.keep);
    return shown;
  }

  /** @returns {string} */
  end() {
    const rest = this.buffer;
    this.buffer = "";
    return rest;
  }
}
