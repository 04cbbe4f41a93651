import type { Source } from "fullstop/control";

/** What stands in a text behind what is quoted: the numbers of its sources, such as `[1][3]`. */
export interface Mark {
  /** Behind how much of the answer's text. */
  readonly place: number;
  readonly label: string;
}

/** A stretch of text, and the mark behind it; the last one has none. */
interface MarkedPiece {
  readonly text: string;
  readonly mark?: Mark;
}

/** The marks of a text, by their places. */
export function marksOf(sources: readonly Source[]): readonly Mark[] {
  const labels = new Map<number, string>();
  for (const [index, { ends }] of sources.entries()) {
    for (const place of ends) labels.set(place, `${labels.get(place) ?? ""}[${index + 1}]`);
  }
  const marks = Array.from(labels, ([place, label]) => ({ place, label }));
  return marks.sort((one, other) => one.place - other.place);
}

/** Cuts a stretch of an answer's text, which begins at `start`, where its marks are. Joined, the pieces are the text. */
export function cutAtMarks(text: string, start: number, marks: readonly Mark[]): readonly MarkedPiece[] {
  const pieces: MarkedPiece[] = [];
  let from = 0;
  for (const mark of marks) {
    const place = mark.place - start;
    // A mark between two stretches is at the end of the first.
    if (place <= 0 || place > text.length) continue;
    const end = Math.max(from, placeIn(text, place));
    pieces.push({ text: text.slice(from, end), mark });
    from = end;
  }
  return [...pieces, { text: text.slice(from) }];
}

/** A mark is on the line of what it is for, and never within a character, whatever a provider has counted. */
function placeIn(text: string, place: number): number {
  const isTorn = (text.codePointAt(place - 1) ?? 0) > 0xff_ff;
  return text.slice(0, isTorn ? place + 1 : place).trimEnd().length;
}
