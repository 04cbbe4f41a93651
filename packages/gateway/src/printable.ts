/**
 * Characters that do something to a terminal or to the order of what it shows instead of being shown: controls,
 * separators of lines, marks of direction and other invisible ones. The two joiners stay, since letters and emoji are
 * made with them.
 */
const UNPRINTABLE = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** A text as it can be shown on one line of a terminal: what would not be visible is written as an escape. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => SHORT_ESCAPES.get(character) ?? escapeCharacter(character));
}

/** A text as it can be shown on several lines of a terminal: only line breaks and tabs keep what they do. */
export function toPrintableLines(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    character === "\n" || character === "\t" ? character : (SHORT_ESCAPES.get(character) ?? escapeCharacter(character)),
  );
}

/** A value that somebody gave, in quotes, for a message about it. */
export function quote(text: string): string {
  return toPrintable(JSON.stringify(text));
}

function escapeCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}
