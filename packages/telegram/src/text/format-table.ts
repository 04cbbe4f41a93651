const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const ASCII = /^[\u0020-\u007E]*$/u;
/** Characters that are twice as wide as a letter in a font where all letters are equally wide. */
const WIDE =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|^\p{Emoji_Presentation}|\uFE0F/u;
const WITHOUT_WIDTH = /^[\p{M}\p{Cf}]+$/u;

/** How the cells of a column stand, as Markdown says it; `null` where it says nothing. */
export type ColumnAlignment = "center" | "left" | "right" | null;

/**
 * A table as lines of text, for a block of code: Telegram has no tables in messages, and letters of one width keep the
 * columns under each other. The first row is the head.
 */
export function formatTable(rows: readonly (readonly string[])[], alignments: readonly ColumnAlignment[]): string {
  const widths = alignments.map((_, column) => Math.max(1, ...rows.map((row) => widthOf(row[column] ?? ""))));
  const lines = rows.map((row) =>
    widths
      .map((width, column) => pad(row[column] ?? "", width, alignments[column] ?? null))
      .join(" | ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "-".repeat(width)).join("-|-");
  return [...lines.slice(0, 1), rule, ...lines.slice(1)].join("\n");
}

function pad(cell: string, width: number, alignment: ColumnAlignment): string {
  const space = width - widthOf(cell);
  if (alignment === "right") return " ".repeat(space) + cell;
  const before = alignment === "center" ? Math.floor(space / 2) : 0;
  return " ".repeat(before) + cell + " ".repeat(space - before);
}

function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    if (WITHOUT_WIDTH.test(segment)) continue;
    width += WIDE.test(segment) ? 2 : 1;
  }
  return width;
}
