import { badRequest } from "./refusal.ts";

/** Parameters as they came over the wire. Where the body was a form, all of them are text. */
export type RawParameters = Readonly<Record<string, unknown>>;

/**
 * The parameters of one call, read as the method wants them.
 * Telegram leaves out of account what it does not know. Here it is refused, so that a misspelt or invented parameter
 * is seen by a test.
 */
export class Parameters {
  readonly raw: RawParameters;
  readonly #method: string;

  constructor(method: string, raw: RawParameters, known: readonly string[]) {
    this.raw = raw;
    this.#method = method;
    const stranger = Object.keys(raw).find((name) => !known.includes(name));
    if (stranger !== undefined) {
      throw badRequest(`${method} has no parameter "${stranger}" here; it has ${known.join(", ") || "none"}`);
    }
  }

  integer(name: string): number | undefined {
    const value = this.raw[name] ?? undefined;
    if (value === undefined) return undefined;
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof number !== "number" || !Number.isSafeInteger(number)) throw this.#wrong(name, "an integer");
    return number;
  }

  text(name: string): string | undefined {
    const value = this.raw[name] ?? undefined;
    if (value === undefined || typeof value === "string") return value;
    throw this.#wrong(name, "text");
  }

  flag(name: string): boolean {
    const value = this.raw[name] ?? false;
    if (typeof value === "boolean") return value;
    if (value === "true" || value === "false") return value === "true";
    throw this.#wrong(name, "true or false");
  }

  list(name: string): readonly unknown[] | undefined {
    const value = this.#json(name);
    if (value === undefined || Array.isArray(value)) return value as readonly unknown[] | undefined;
    throw this.#wrong(name, "a list");
  }

  object(name: string): RawParameters | undefined {
    const value = this.#json(name);
    if (value === undefined || isRecord(value)) return value;
    throw this.#wrong(name, "an object");
  }

  #json(name: string): unknown {
    const value = this.raw[name] ?? undefined;
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      throw this.#wrong(name, "JSON");
    }
  }

  #wrong(name: string, wanted: string): Error {
    return badRequest(`${this.#method}: ${name} must be ${wanted}, and is ${JSON.stringify(this.raw[name])}`);
  }
}

/** Whether a value from outside is an object with fields. */
export function isRecord(value: unknown): value is RawParameters {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
