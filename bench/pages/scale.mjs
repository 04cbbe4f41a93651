// @ts-check

/**
 * Where a value lies on an axis, and what stands beside the axis.
 *
 * @typedef {object} Scale
 * @property {(value: number) => number} at From 0 at the start of the axis to 1 at its end.
 * @property {readonly number[]} ticks
 */

/**
 * A scale on which each step is a multiplication, with a tick at each power of ten.
 *
 * @param {readonly number[]} values Above zero.
 * @param {"powers" | "values"} [ends] Whether the axis goes on to the next powers of ten, or ends with the values.
 * @returns {Scale}
 */
export function logScale(values, ends = "powers") {
  const wrong = values.find((value) => !(value > 0 && Number.isFinite(value)));
  if (wrong !== undefined) throw new RangeError(`${wrong} has no place on a logarithmic axis`);
  const low = Math.floor(Math.log10(Math.min(...values)) + TOLERANCE);
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values)) - TOLERANCE));
  const ticks = Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step));
  const [start, end] =
    ends === "powers" ? [low, high] : [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
  // Values that are all the same lie in the middle.
  const at = (/** @type {number} */ value) => (end === start ? 0.5 : (Math.log10(value) - start) / (end - start));
  return { at, ticks: ticks.filter((tick) => at(tick) >= -TOLERANCE && at(tick) <= 1 + TOLERANCE) };
}

/** So that 1000, whose logarithm is not exactly 3, is an end of its own axis. */
const TOLERANCE = 1e-9;

/**
 * A scale from zero on, with about five ticks at round values.
 *
 * @param {readonly number[]} values Not below zero.
 * @returns {Scale}
 */
export function linearScale(values) {
  const most = Math.max(...values, Number.MIN_VALUE);
  const rough = most / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const count = Math.ceil(most / step - TOLERANCE);
  return {
    at: (value) => value / (count * step),
    // Multiplied and not added up, or the ticks would be 0.30000000000000004.
    ticks: Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12))),
  };
}

/**
 * Moves positions apart that are closer than a distance, as little as possible in all, and keeps their order. For
 * labels beside lines that end at almost the same height.
 *
 * @param {readonly number[]} positions
 * @param {number} distance
 * @returns {readonly number[]} In the order in which they came.
 */
export function spreadOut(positions, distance) {
  const sorted = [...positions.entries()].toSorted(([, first], [, second]) => first - second);
  /** @type {{indexes: number[], sum: number}[]} Neighbours that touch each other, which move together. */
  const groups = [];
  const startOf = (/** @type {{indexes: number[], sum: number}} */ { indexes, sum }) =>
    sum / indexes.length - ((indexes.length - 1) * distance) / 2;
  for (const [index, position] of sorted) {
    let group = { indexes: [index], sum: position };
    for (let before = groups.at(-1); before !== undefined; before = groups.at(-1)) {
      if (startOf(group) - startOf(before) >= before.indexes.length * distance) break;
      groups.pop();
      group = { indexes: [...before.indexes, ...group.indexes], sum: before.sum + group.sum };
    }
    groups.push(group);
  }
  const spread = Array.from({ length: positions.length }, () => 0);
  for (const group of groups) {
    for (const [place, index] of group.indexes.entries()) spread[index] = startOf(group) + place * distance;
  }
  return spread;
}
