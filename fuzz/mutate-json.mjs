// @ts-check

/**
 * Values that a parser of JSON does not expect where it finds them.
 *
 * @type {readonly unknown[]}
 */
const STRANGE_VALUES = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "",
  " ",
  "x",
  "\u0000",
  "\uD800",
  "data:image/png;base64,AAAA",
  "{}",
  "[",
  [],
  {},
  [null],
  [[]],
  { length: 3 },
  { toString: 1 },
  { type: "text", text: "x" },
];

const STRANGE_NAMES = ["__proto__", "constructor", "toString", "", "type", "length", "0", "then"];

/**
 * Another value like the given one: one of the values in it is changed, taken out, doubled or given another name.
 *
 * @param {unknown} value
 * @param {import("./random.mjs").Random} random
 * @param {readonly string[]} words
 * @returns {unknown}
 */
export function mutateJson(value, random, words) {
  if (typeof value !== "object" || value === null) return changeLeaf(value, random, words);
  const count = Object.keys(value).length;
  // Deep values are as likely to be changed as shallow ones.
  const goesDeeper = count > 0 && random.below(4) > 0;
  if (Array.isArray(value)) {
    const items = /** @type {unknown[]} */ (value).slice();
    const at = random.below(Math.max(1, items.length));
    if (goesDeeper) items[at] = mutateJson(items[at], random, words);
    else if (random.below(3) === 0) items.splice(at, 1);
    else if (random.below(2) === 0) items.splice(at, 0, items[random.below(Math.max(1, items.length))] ?? null);
    else items.push(random.pick(STRANGE_VALUES));
    return items;
  }
  const entries = Object.entries(value);
  const at = random.below(Math.max(1, entries.length));
  const [name = "", inner] = entries[at] ?? [];
  if (goesDeeper) entries[at] = [name, mutateJson(inner, random, words)];
  else if (random.below(3) === 0) entries.splice(at, 1);
  else if (random.below(2) === 0) entries.push([nameOf(random, words), inner ?? random.pick(STRANGE_VALUES)]);
  else entries[at] = [nameOf(random, words), inner];
  return Object.fromEntries(entries);
}

/**
 * @param {import("./random.mjs").Random} random
 * @param {readonly string[]} words
 */
function nameOf(random, words) {
  return words.length > 0 && random.below(3) > 0 ? random.pick(words) : random.pick(STRANGE_NAMES);
}

/**
 * @param {unknown} value
 * @param {import("./random.mjs").Random} random
 * @param {readonly string[]} words
 * @returns {unknown}
 */
function changeLeaf(value, random, words) {
  const kind = random.below(4);
  if (kind === 0 && words.length > 0) return random.pick(words);
  if (kind === 1 && typeof value === "string") return value.slice(0, random.below(value.length + 1));
  if (kind === 2 && typeof value === "string") return value + (words.length > 0 ? random.pick(words) : "x");
  if (kind === 2 && typeof value === "number") return value + random.pick([-1, 1, 0.5, 1e9]);
  return random.pick(STRANGE_VALUES);
}
