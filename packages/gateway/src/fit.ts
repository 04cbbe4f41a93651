import { toPrintable } from "./printable.ts";

/** Letters and signs of two columns, and whatever is asked to be shown as an emoji. */
const WIDE =
  /[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF01-\uFF60]|\uFE0F/u;
const WITHOUT_WIDTH = /^[\p{Mark}\u200C\u200D]+$/u;

/** More characters than this for each column are looked at only when something piles marks on one letter. */
const CHARACTERS_PER_COLUMN = 16;

/**
 * A text that fits in some columns of a line of a terminal, control characters escaped. A longer one is shortened, and
 * the notes after it say how long it was.
 */
export function fitText(text: string, columns: number, notes: readonly string[] = []): string {
  const shortNote = toNote(notes);
  const whole = takeColumns(text, columns - shortNote.length);
  if (whole.isAll) return whole.taken + shortNote;
  const longNote = toNote([...notes, `${countCharacters(text)} characters`]);
  return `${takeColumns(text, columns - longNote.length - 1).taken}…${longNote}`;
}

function toNote(notes: readonly string[]): string {
  return notes.length === 0 ? "" : ` (${notes.join(", ")})`;
}

function takeColumns(text: string, columns: number): { readonly taken: string; readonly isAll: boolean } {
  const most = Math.max(0, columns) * CHARACTERS_PER_COLUMN;
  const printable = toPrintable(text.slice(0, most));
  let end = 0;
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(printable)) {
    used += widthOf(segment);
    if (used > columns) return { taken: printable.slice(0, end), isAll: false };
    end += segment.length;
  }
  return { taken: printable, isAll: text.length <= most };
}

/** How many columns a character takes, as nearly as one can tell without asking the terminal. */
function widthOf(grapheme: string): number {
  if (WITHOUT_WIDTH.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}

function countCharacters(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1) count += 1;
  return count;
}
