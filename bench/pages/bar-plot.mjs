// @ts-check
import { linearScale } from "./scale.mjs";
import { WIDTH, colourOf, drawing, element, text } from "./svg.mjs";

/**
 * One bar, and how far four in five of the samples stray around its end.
 *
 * @typedef {object} Bar
 * @property {string} label
 * @property {number} value
 * @property {number} low
 * @property {number} high
 * @property {boolean} [isOwn] Whether it is fullstop's.
 */

/**
 * Several of the same kind beside each other.
 *
 * @typedef {object} BarPlot
 * @property {string} title
 * @property {string} unit What the axis shows.
 * @property {readonly Bar[]} bars
 */

const ROW = 30;
const TOP = 52;
const LEFT = 230;
const RIGHT = WIDTH - 76;

/** Our own colour, and that of everybody else. */
const [OWN, OTHERS] = [colourOf(0), colourOf(1)];

/**
 * Draws bars from zero on.
 *
 * @param {BarPlot} plot
 * @returns {string}
 */
export function drawBars({ title, unit, bars }) {
  const scale = linearScale(bars.flatMap(({ value, high }) => [value, high]));
  const toX = (/** @type {number} */ value) => LEFT + scale.at(value) * (RIGHT - LEFT);
  const bottom = TOP + bars.length * ROW;
  return drawing(title, bottom + 56, [
    ...scale.ticks.flatMap((tick) => [
      element("line", { class: "grid", x1: toX(tick), x2: toX(tick), y1: TOP, y2: bottom }),
      text(tick.toLocaleString("en"), toX(tick), bottom + 18, { "text-anchor": "middle" }),
    ]),
    text(unit, (LEFT + RIGHT) / 2, bottom + 42, { class: "quiet", "text-anchor": "middle" }),
    ...bars.flatMap(({ label, value, low, high, isOwn = false }, index) => {
      const middle = TOP + index * ROW + ROW / 2;
      return [
        text(label, LEFT - 10, middle + 4, { "text-anchor": "end", ...(isOwn && { class: "own" }) }),
        element("rect", {
          x: LEFT,
          y: middle - 9,
          width: Math.max(1, toX(value) - LEFT),
          height: 18,
          fill: isOwn ? OWN : OTHERS,
        }),
        element("line", { class: "spread", x1: toX(low), x2: toX(high), y1: middle, y2: middle, "stroke-width": 3 }),
        text(formatValue(value), toX(Math.max(value, high)) + 6, middle + 4, isOwn ? { class: "own" } : {}),
      ];
    }),
  ]);
}

/**
 * @param {number} value
 * @returns {string}
 */
function formatValue(value) {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(value < 10 ? 2 : 1);
}
