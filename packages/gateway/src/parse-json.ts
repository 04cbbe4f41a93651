/** Reads JSON that somebody has written. Shells and editors of Windows put a mark before it, which is none of it. */
export function parseJson(text: string): unknown {
  return JSON.parse(text.replace(/^\u{FEFF}/u, ""));
}
