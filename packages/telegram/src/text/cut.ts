import type { MessageEntity } from "grammy/types";
import { endOf, isAtomic, isBlock } from "./entities.ts";

/** Where a piece begins and the furthest place where it may end, in a text that goes on after it. */
interface Window {
  readonly start: number;
  readonly end: number;
  /** How long a piece can be that does not share its message. */
  readonly limit: number;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** How far back to look for the beginning of a character that is made of many, such as a family. */
const GRAPHEME_CONTEXT = 256;

const CLOSING = new Set(`"')]}»”’*_`);
const SENTENCE_END = new Set(".!?…:;");
/** Ends of sentences in writing that puts no spaces after them. */
const WIDE_SENTENCE_END = new Set("。！？｡");
const WIDE_PAUSE = new Set("，、；：");

/**
 * Finds the best place to end a piece, later than `start` and at most at `end`. It looks at nothing after `end` but
 * the one character there, so that the place stays the same while the text grows.
 */
export function findCut(text: string, entities: readonly MessageEntity[], window: Window): number {
  const { start, end, limit } = window;
  const near = entities.filter((entity) => entity.offset < end);
  const atoms = near.filter((entity) => isAtomic(entity) && entity.length <= limit && endOf(entity) > start);
  const isAllowed = (cut: number): boolean =>
    cut > start && !atoms.some((entity) => entity.offset < cut && cut < endOf(entity));
  // A piece that is less than half full looks as if something had gone wrong.
  const half = start + Math.ceil((end - start) / 2);

  // Code and quotes that begin late go whole into the next message, where there is room for them.
  const block = near.find((entity) => isBlock(entity) && entity.offset >= half && endOf(entity) > end);
  if (block !== undefined && isAllowed(block.offset)) return block.offset;

  const quarter = start + Math.ceil((end - start) / 4);
  return (
    findLast(end, half, (cut) => text.startsWith("\n\n", cut) && isAllowed(cut)) ??
    findLast(end, half, (cut) => text[cut] === "\n" && isAllowed(cut)) ??
    findLast(end, half, (cut) => isSentenceEnd(text, cut) && isAllowed(cut)) ??
    findLast(end, quarter, (cut) => isWordEnd(text, cut) && isAllowed(cut)) ??
    cutAnywhere(text, atoms, window)
  );
}

function findLast(from: number, to: number, isGood: (cut: number) => boolean): number | undefined {
  for (let cut = from; cut >= to; cut -= 1) if (isGood(cut)) return cut;
  return undefined;
}

function isSentenceEnd(text: string, cut: number): boolean {
  const last = text[cut - 1];
  if (last === undefined) return false;
  if (WIDE_SENTENCE_END.has(last)) return isGraphemeStart(text, cut);
  if (text[cut] !== " ") return false;
  let before = cut - 1;
  while (before > 0 && CLOSING.has(text.charAt(before))) before -= 1;
  return SENTENCE_END.has(text.charAt(before)) || WIDE_SENTENCE_END.has(text.charAt(before));
}

function isWordEnd(text: string, cut: number): boolean {
  if (text[cut] === " " || text[cut] === "\n") return true;
  return WIDE_PAUSE.has(text.charAt(cut - 1)) && isGraphemeStart(text, cut);
}

/** For text without any place to cut it: still not in a link or in inline code, nor within what is seen as one character. */
function cutAnywhere(text: string, atoms: readonly MessageEntity[], { start, end }: Window): number {
  const atom = atoms.find((entity) => entity.offset < end && end < endOf(entity));
  const latest = atom !== undefined && atom.offset > start ? atom.offset : end;
  const cut = graphemeStartBefore(text, latest);
  if (cut > start) return cut;
  return isInsidePair(text, end) ? end - 1 : end;
}

function isGraphemeStart(text: string, offset: number): boolean {
  return graphemeStartBefore(text, offset) === offset;
}

/** Where the character begins that an offset is in. */
function graphemeStartBefore(text: string, offset: number): number {
  let from = Math.max(0, offset - GRAPHEME_CONTEXT);
  if (isInsidePair(text, from)) from += 1;
  const segment = graphemes.segment(text.slice(from, offset + 2)).containing(offset - from);
  return segment === undefined ? offset : from + segment.index;
}

function isInsidePair(text: string, offset: number): boolean {
  return isBetween(text.charCodeAt(offset - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(offset), 0xdc00, 0xdfff);
}

function isBetween(unit: number, lowest: number, highest: number): boolean {
  return unit >= lowest && unit <= highest;
}

/** How far words can be looked for before it matters less to cut one than to show little. */
const WORD_SEARCH = 60;

/** The last place up to an offset where a text can end: after a word if one ends near, never within a character. */
export function endOfHead(text: string, latest: number): number {
  return (
    findLast(latest, Math.max(1, latest - WORD_SEARCH), (cut) => isWordEnd(text, cut)) ??
    graphemeStartBefore(text, latest)
  );
}

/** The first place from an offset on where a text can begin: with a word if one begins near, never within a character. */
export function startOfTail(text: string, earliest: number): number {
  for (let start = earliest; start < Math.min(text.length, earliest + WORD_SEARCH); start += 1) {
    if (isWordEnd(text, start)) return start;
  }
  const start = graphemeStartBefore(text, earliest);
  if (start === earliest) return start;
  const after = graphemes.segment(text.slice(start, earliest + GRAPHEME_CONTEXT)).containing(0);
  const next = start + (after?.segment.length ?? 0);
  return isInsidePair(text, next) ? next + 1 : Math.max(next, earliest);
}
