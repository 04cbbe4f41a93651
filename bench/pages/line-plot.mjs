// @ts-check
import { logScale, spreadOut } from "./scale.mjs";
import { WIDTH, colourOf, drawing, element, text } from "./svg.mjs";

/**
 * One line, with its name beside its end.
 *
 * @typedef {object} Line
 * @property {string} label
 * @property {readonly (readonly [x: number, y: number])[]} points
 * @property {boolean} [isOwn] Whether it is fullstop's.
 */

/**
 * How something grows. Both axes are logarithmic: a line that rises at half a right angle is twice as much for twice as
 * much.
 *
 * @typedef {object} LinePlot
 * @property {string} title
 * @property {string} x What the axes show, with their unit.
 * @property {string} y
 * @property {readonly Line[]} lines
 */

const HEIGHT = 400;
const FRAME = { left: 84, right: WIDTH - 218, top: 56, bottom: HEIGHT - 56 };
const LINE_HEIGHT = 16;

/**
 * Draws how something grows.
 *
 * @param {LinePlot} plot
 * @returns {string}
 */
export function drawLines({ title, x: xLabel, y: yLabel, lines }) {
  // What is too small to be measured has no place on such an axis.
  const shown = lines
    .map((line) => ({ ...line, points: line.points.filter(([, y]) => y > 0) }))
    .filter(({ points }) => points.length > 0);
  const points = shown.flatMap((line) => line.points);
  const [xs, ys] = [
    logScale(
      points.map(([x]) => x),
      "values",
    ),
    logScale(points.map(([, y]) => y)),
  ];
  const toX = (/** @type {number} */ value) => FRAME.left + xs.at(value) * (FRAME.right - FRAME.left);
  const toY = (/** @type {number} */ value) => FRAME.bottom - ys.at(value) * (FRAME.bottom - FRAME.top);
  const ends = shown.map((line) => toY(line.points.at(-1)?.[1] ?? 1));
  const labelled = spreadOut(ends, LINE_HEIGHT);
  return drawing(title, HEIGHT, [
    text(yLabel, 12, 44, { class: "quiet" }),
    text(xLabel, (FRAME.left + FRAME.right) / 2, HEIGHT - 14, { class: "quiet", "text-anchor": "middle" }),
    ...xs.ticks.flatMap((tick) => [
      element("line", { class: "grid", x1: toX(tick), x2: toX(tick), y1: FRAME.top, y2: FRAME.bottom }),
      text(tick.toLocaleString("en"), toX(tick), FRAME.bottom + 18, { "text-anchor": "middle" }),
    ]),
    ...ys.ticks.flatMap((tick) => [
      element("line", { class: "grid", x1: FRAME.left, x2: FRAME.right, y1: toY(tick), y2: toY(tick) }),
      text(tick.toLocaleString("en"), FRAME.left - 8, toY(tick) + 4, { "text-anchor": "end" }),
    ]),
    ...shown.flatMap((line, index) => drawLine(line, colourOf(index), toX, toY, labelled[index] ?? 0)),
  ]);
}

/**
 * @param {Line} line
 * @param {string} colour
 * @param {(value: number) => number} toX
 * @param {(value: number) => number} toY
 * @param {number} labelY
 * @returns {readonly string[]}
 */
function drawLine({ label, points, isOwn = false }, colour, toX, toY, labelY) {
  const path = points.map(([x, y]) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`).join(" ");
  const [lastX, lastY] = points.at(-1) ?? [1, 1];
  const start = FRAME.right + 12;
  return [
    element("polyline", { points: path, fill: "none", stroke: colour, "stroke-width": isOwn ? 3 : 1.5 }),
    ...points.map(([x, y]) => element("circle", { cx: toX(x), cy: toY(y), r: isOwn ? 4 : 3, fill: colour })),
    // From the end of the line to its name, which may have had to give way.
    element("line", {
      x1: toX(lastX),
      y1: toY(lastY),
      x2: start,
      y2: labelY,
      stroke: colour,
      "stroke-dasharray": "2 3",
    }),
    text(label, start + 5, labelY + 4, isOwn ? { class: "own" } : {}),
  ];
}
