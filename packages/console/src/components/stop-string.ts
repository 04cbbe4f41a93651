/*
 * A stop string may be a line break, which no field of one line can take and nobody can see. It is written as in most
 * programming languages.
 */

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };
const MEANT: ReadonlyMap<string, string> = new Map(Object.entries(ESCAPES).map(([meant, written]) => [written, meant]));

/** A stop string as it is written by people. */
export function showStopString(text: string): string {
  return text.replaceAll(/[\n\r\t\\]/gu, (sign) => ESCAPES[sign] ?? sign);
}

/** What is meant by a stop string that somebody has written. A backslash before anything else is a backslash. */
export function readStopString(written: string): string {
  return written.replaceAll(/\\[nrt\\]/gu, (escape) => MEANT.get(escape) ?? escape);
}
