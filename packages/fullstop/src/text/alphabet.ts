import { invalidArgument } from "../errors.ts";

/**
 * Maps UTF-16 code units to the small numbers that an automaton's tables are indexed with. Units that occur in no
 * stop string are of class 0.
 */
export interface Alphabet {
  /** The classes of the first units; nearly all text is written with these. */
  readonly lowClasses: Uint16Array;
  /** The classes of the others, where there are any. A table up to them would take 100 kB for one emoji. */
  readonly highClasses: ReadonlyMap<number, number> | undefined;
  /** How many classes there are, class 0 included. */
  readonly size: number;
}

/** Latin, Greek, Cyrillic, Hebrew and Arabic letters lie below. */
const LOW_UNITS = 0x800;
/** Classes are kept in 16 bits. */
const MOST_CLASSES = 0xffff;

/** Builds the alphabet of a set of strings. */
export function createAlphabet(strings: readonly string[], caseInsensitive: boolean): Alphabet {
  const classes = new Map<number, number>();
  let size = 1;
  for (const text of strings) {
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (classes.has(unit)) continue;
      for (const variant of caseInsensitive ? caseVariants(unit) : [unit]) classes.set(variant, size);
      size += 1;
      if (size > MOST_CLASSES) throw invalidArgument("stop", `may use at most ${MOST_CLASSES} characters`, text);
    }
  }
  let highest = 0;
  for (const unit of classes.keys()) if (unit < LOW_UNITS && unit > highest) highest = unit;
  const lowClasses = new Uint16Array(highest + 1);
  const highClasses = new Map<number, number>();
  for (const [unit, unitClass] of classes) {
    if (unit < LOW_UNITS) lowClasses[unit] = unitClass;
    else highClasses.set(unit, unitClass);
  }
  return { lowClasses, highClasses: highClasses.size === 0 ? undefined : highClasses, size };
}

/** The class of one code unit. */
export function classOf({ lowClasses, highClasses }: Alphabet, unit: number): number {
  if (unit < lowClasses.length) return lowClasses[unit]!;
  return highClasses?.get(unit) ?? 0;
}

/**
 * The text with every code unit replaced by the one that stands for all its case variants. Works unit by unit, so
 * offsets stay as they are; letters whose case mapping changes their length, and those beyond the basic plane,
 * match only themselves.
 */
export function foldCase(text: string): string {
  const folds = foldTable();
  let folded = "";
  for (let index = 0; index < text.length; index++) {
    folded += String.fromCharCode(folds[text.charCodeAt(index)]!);
  }
  return folded;
}

let cachedFolds: Uint16Array | undefined;
let cachedVariants: Map<number, number[]> | undefined;

/** For each code unit the representative of its case variants. Made on first use: most programs never need it. */
function foldTable(): Uint16Array {
  if (cachedFolds !== undefined) return cachedFolds;
  const folds = new Uint16Array(0x10000);
  for (let unit = 0; unit < folds.length; unit++) {
    const upper = single(String.fromCharCode(unit).toUpperCase(), unit);
    folds[unit] = single(String.fromCharCode(upper).toLowerCase(), upper);
  }
  cachedFolds = folds;
  return folds;
}

function caseVariants(unit: number): readonly number[] {
  const folds = foldTable();
  if (cachedVariants === undefined) {
    cachedVariants = new Map();
    for (let other = 0; other < folds.length; other++) {
      const variants = cachedVariants.get(folds[other]!);
      if (variants === undefined) cachedVariants.set(folds[other]!, [other]);
      else variants.push(other);
    }
  }
  return cachedVariants.get(folds[unit]!) ?? [unit];
}

function single(text: string, otherwise: number): number {
  return text.length === 1 ? text.charCodeAt(0) : otherwise;
}
