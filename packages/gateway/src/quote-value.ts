/** How much of a value an error message quotes. */
const MOST_CHARACTERS = 200;

/** Writes a value from a request as an error message quotes it: as JSON, and not too much of it. */
export function quoteValue(value: unknown): string {
  const json = toJson(value);
  return json.length <= MOST_CHARACTERS ? json : `${json.slice(0, MOST_CHARACTERS)}…`;
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // JSON can be read at any depth, but not written.
    return "a value that is nested too deeply";
  }
}
