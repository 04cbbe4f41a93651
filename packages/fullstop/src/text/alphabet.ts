/**
 * Maps UTF-16 code units to the small numbers that an automaton's tables are indexed with. Units that occur in no
 * stop string are of class 0.
 */
export interface Alphabet {
  /** The classes of the first units; nearly all text is written with these. */
  readonly lowClasses: Int32Array;
  /** The classes of the others, where there are any. A table up to them would take 100 kB for one emoji. */
  readonly highClasses: ReadonlyMap<number, number> | undefined;
  /** How many classes there are, class 0 included. */
  readonly size: number;
}

/** Latin, Greek, Cyrillic, Hebrew and Arabic letters lie below. */
const LOW_UNITS = 0x800;

/** Builds the alphabet of a set of strings; where case does not matter, of strings whose case is folded. */
export function createAlphabet(strings: readonly string[], caseInsensitive: boolean): Alphabet {
  const classes = new Map<number, number>();
  let size = 1;
  for (const text of strings) {
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (classes.has(unit)) continue;
      classes.set(unit, size);
      size += 1;
    }
  }
  if (caseInsensitive) addCaseVariants(classes);
  let highest = 0;
  for (const unit of classes.keys()) if (unit < LOW_UNITS && unit > highest) highest = unit;
  const lowClasses = new Int32Array(highest + 1);
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

/** For each code unit the representative of its case variants. Made on first use: most programs never need it. */
function foldTable(): Uint16Array {
  cachedFolds ??= Uint16Array.from({ length: 0x10000 }, (_, unit) => {
    const upper = single(String.fromCharCode(unit).toUpperCase(), unit);
    return single(String.fromCharCode(upper).toLowerCase(), upper);
  });
  return cachedFolds;
}

function single(text: string, otherwise: number): number {
  return text.length === 1 ? text.charCodeAt(0) : otherwise;
}

/** Gives every unit the class of the one that it folds to. */
function addCaseVariants(classes: Map<number, number>): void {
  foldTable().forEach((folded, unit) => {
    const unitClass = classes.get(folded);
    if (unitClass !== undefined) classes.set(unit, unitClass);
  });
}
