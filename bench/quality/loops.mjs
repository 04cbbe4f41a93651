// @ts-check

/** What a loop can be made of. */
export const MATERIALS = /** @type {const} */ (["letters", "words", "code", "digits", "emoji"]);

/** @typedef {(typeof MATERIALS)[number]} Material */

const WORDS =
  `the of and to in is that for it as was with be by on not he this are or his from at which but have an had they you
  were there one all we can her has been if more when will would who so no stop token model answer because however
  Therefore Please I apologize confusion above let me know whether further information needed`.split(/\s+/u);
const CODE = [
  "const value = items[index];\n",
  "  if (left !== right) return false;\n",
  "for (const item of list) {\n",
  "  }\n",
  "return result;\n",
  "import { run } from './run.js';\n",
  "def step(self, x=0):\n    ",
  "x += 1;\n",
  '<li class="item">',
  "</li>\n",
];
const EMOJI = ["😀", "🎉", "🚀", "🔥", "👍", "🙂", "😂", "🥳", "🤖", "🌍", "💡", "✨", "✅", "🧠", "📌"];

/**
 * A unit of exactly this many code units, of one material.
 *
 * @param {Material} material
 * @param {number} length
 * @param {() => number} random
 * @returns {string}
 */
export function createUnit(material, length, random) {
  const pick = (/** @type {readonly string[]} */ list) => list[Math.floor(random() * list.length)] ?? "";
  /** @type {Record<Material, () => string>} */
  const pieces = {
    letters: () => String.fromCharCode(97 + Math.floor(random() * 26)),
    words: () => `${pick(WORDS)} `,
    code: () => pick(CODE),
    digits: () => String(Math.floor(random() * 10)),
    emoji: () => pick(EMOJI),
  };
  let unit = "";
  while (unit.length < length) unit += pieces[material]();
  const cut = unit.slice(0, length);
  // Half an emoji is no text; a full stop in its place keeps the length.
  return cut.isWellFormed() ? cut : `${cut.slice(0, -1)}.`;
}

/**
 * The periods to try: all the short ones, then one in every few, and the longest.
 *
 * @param {() => number} random
 * @returns {number[]}
 */
export function choosePeriods(random) {
  const periods = Array.from({ length: 100 }, (_, index) => index + 1);
  for (let period = 101; period < 2000; period += 1 + Math.floor(random() * 8)) periods.push(period);
  return [...periods, 2000];
}
