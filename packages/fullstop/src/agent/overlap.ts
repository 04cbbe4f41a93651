import { checkCount, checkNames } from "../check.ts";
import { isHighSurrogate, isLowSurrogate } from "../text/surrogates.ts";

/** What counts as a repetition where an answer was continued. */
export interface OverlapOptions {
  /** The most characters (UTF-16 code units) that are compared. Default 4,000. */
  readonly maxLength?: number | undefined;
  /** The fewest bytes of UTF-8 that are a repetition and no accident. Default 6. */
  readonly minBytes?: number | undefined;
  /** The fewest characters (code points). Default 4. */
  readonly minCodePoints?: number | undefined;
  /** The fewest bytes where the beginning of a heading, an item, a table row or a code block is among them. Default 4. */
  readonly minStructureBytes?: number | undefined;
}

/**
 * How many characters (UTF-16 code units) at the start of `after` repeat the end of `before`. It is the longest
 * repetition that is long enough to be no accident, and it consists of whole characters.
 */
export function findOverlap(before: string, after: string, options: OverlapOptions = {}): number {
  const search = createOverlapSearch(before, options);
  return search.feed(after) ?? search.close();
}

/** Follows a continuation for as long as it can repeat the end of what came before, however it is cut into pieces. */
export interface OverlapSearch {
  /** Reads a piece. Returns the length of the overlap once it is known; nothing may be read after that. */
  feed(text: string): number | undefined;
  /** The length of the overlap if nothing more follows. */
  close(): number;
}

/** Opens the search of one continuation. */
export function createOverlapSearch(before: string, options: OverlapOptions = {}): OverlapSearch {
  const settings = toSettings(options);
  const tail = before.slice(-settings.maxLength);
  const lastStart = tail.length - leastOverlap(tail, settings);
  let seen = "";
  // A longer overlap starts earlier. Once one start is ruled out it stays so, and the first that is left decides.
  let start = 0;

  function look(isEnd: boolean): number | undefined {
    for (; start <= lastStart; start++) {
      if (isLowSurrogate(tail.charCodeAt(start))) continue;
      const length = tail.length - start;
      if (seen.length >= length) {
        if (seen.startsWith(tail.slice(start))) return length;
      } else if (!isEnd && tail.startsWith(seen, start)) {
        return undefined;
      }
    }
    return 0;
  }

  look(false);
  return {
    feed(text) {
      const place = start + seen.length;
      seen += text;
      // The first start left matches what was seen before, so mostly the new piece is all there is to compare.
      const goesOn = start <= lastStart && place + text.length < tail.length && tail.startsWith(text, place);
      return goesOn ? undefined : look(false);
    },
    close: () => look(true) ?? 0,
  };
}

type Settings = Readonly<Record<keyof OverlapOptions, number>>;

const OPTION_NAMES = { maxLength: true, minBytes: true, minCodePoints: true, minStructureBytes: true } as const;

function toSettings(options: OverlapOptions): Settings {
  checkNames("overlap", options, OPTION_NAMES);
  const { maxLength = 4000, minBytes = 6, minCodePoints = 4, minStructureBytes = 4 } = options;
  for (const [name, value] of Object.entries({ maxLength, minBytes, minCodePoints, minStructureBytes })) {
    checkCount(name, value, 1);
  }
  return { maxLength, minBytes, minCodePoints, minStructureBytes };
}

/** The beginning of a line that has a meaning in Markdown. */
const STRUCTURE = /\n[ \t]*(?:[#*|-]|```|\d+\.)/g;

/** The length of the shortest end of a text that is no accident; beyond every length if there is none. */
function leastOverlap(tail: string, { minBytes, minCodePoints, minStructureBytes }: Settings): number {
  // Half a character at the end would be torn from its other half in the continuation.
  if (isHighSurrogate(tail.charCodeAt(tail.length - 1))) return Number.POSITIVE_INFINITY;
  const structureAt = [...tail.matchAll(STRUCTURE)].at(-1)?.index ?? -1;
  let bytes = 0;
  let codePoints = 0;
  for (let start = tail.length - 1; start >= 0; start--) {
    if (isLowSurrogate(tail.charCodeAt(start)) && isHighSurrogate(tail.charCodeAt(start - 1))) start -= 1;
    bytes += countBytes(tail.codePointAt(start) ?? 0);
    codePoints += 1;
    const isProse = bytes >= minBytes && codePoints >= minCodePoints;
    if (isProse || (bytes >= minStructureBytes && start <= structureAt)) return tail.length - start;
  }
  return Number.POSITIVE_INFINITY;
}

function countBytes(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x1_0000 ? 3 : 4;
}
