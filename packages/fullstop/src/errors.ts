/** Which rule of use was broken: a wrong argument, or a call on something that has already ended. */
export type FullstopErrorCode = "invalid_argument" | "use_after_end";

/**
 * Thrown for mistakes in calling the library, always before any work is started. What goes wrong later arrives
 * as the last event of the stream instead.
 */
export class FullstopError extends Error {
  readonly code: FullstopErrorCode;
  /** What the refused argument is called, or where it stands, such as `messages[2].role`; undefined if it is not one. */
  readonly argument: string | undefined;

  constructor(code: FullstopErrorCode, message: string, argument?: string) {
    super(message);
    this.name = "FullstopError";
    this.code = code;
    this.argument = argument;
  }
}

const QUOTED_LENGTH = 80;

/** The error for a refused argument: what it is called, what it has to be, and what was given instead. */
export function invalidArgument(name: string, rule: string, value: unknown): FullstopError {
  return new FullstopError("invalid_argument", `${name} ${rule}, got ${quote(value)}`, name);
}

/** A value as it can stand in an error message: one line, bounded, and clear about its type. */
export function quote(value: unknown): string {
  return shorten(typeof value === "string" ? JSON.stringify(value) : describe(value));
}

function describe(value: unknown): string {
  if (typeof value !== "object" || value === null || value instanceof RegExp) return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    // A value that refers to itself has no JSON; its kind is all that can be said of it.
    return Object.prototype.toString.call(value);
  }
}

function shorten(text: string): string {
  return text.length <= QUOTED_LENGTH ? text : `${text.slice(0, QUOTED_LENGTH)}… (${text.length} characters)`;
}
