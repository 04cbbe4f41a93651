/** Reads a value that this store has written as JSON. */
export const parse: <Value>(json: string) => Value = JSON.parse;

/** Reads values that this store has written as JSON. Many small ones are read faster in one piece. */
export function parseAll<Value>(json: readonly string[]): Value[] {
  return parse<Value[]>(`[${json.join(",")}]`);
}
