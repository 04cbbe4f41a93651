import { isRecord, parseJson } from "../wire/json.ts";

/**
 * A JSON text in the one form that all texts of the same value share: keys sorted, no spaces. Text that is not JSON
 * comes back as it is; no text at all stands for no arguments, like an empty object.
 */
export function canonicalJson(json: string): string {
  if (json.trim() === "") return "{}";
  const value = parseJson(json);
  if (value === undefined || !keepsNumbers(json)) return json;
  try {
    return write(value);
  } catch {
    // Only what is nested by the thousand cannot be written; such a text is compared as it stands.
    return json;
  }
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item)).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${write(value[key])}`);
  return `{${fields.join(",")}}`;
}

const STRING_OR_NUMBER = /"|-?\d[\d.eE+-]*/g;

/** As many digits as every number of that length keeps. */
const SAFE_DIGITS = 15;

/**
 * Whether all numbers in a JSON text are read as they were written. Ids of 18 digits are not, and two of them that
 * differ must not look alike.
 */
function keepsNumbers(json: string): boolean {
  const tokens = new RegExp(STRING_OR_NUMBER);
  for (let match = tokens.exec(json); match !== null; match = tokens.exec(json)) {
    const [token] = match;
    if (token === '"') {
      // Digits within strings are no numbers.
      tokens.lastIndex = endOfString(json, tokens.lastIndex);
      continue;
    }
    const number = Number(token);
    const digits = token.replace(/[eE].*/, "").replaceAll(/\D/g, "").length;
    const isSafe = digits <= SAFE_DIGITS && Number.isFinite(number);
    if (!isSafe && String(number) !== token) return false;
  }
  return true;
}

/** Where a string ends that begins before `start`. A pattern would need more stack than there is for one of 10 MB. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (json.charAt(quote - 1 - backslashes) === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return json.length;
}
