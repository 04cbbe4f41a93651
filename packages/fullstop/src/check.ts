import { invalidArgument } from "./errors.ts";

/** Refuses anything but a whole number of at least `least`; an absent option passes. */
export function checkCount(name: string, value: number | undefined, least: number): void {
  if (value === undefined) return;
  if (!Number.isSafeInteger(value) || value < least) {
    throw invalidArgument(name, `must be a whole number of at least ${least}`, value);
  }
}

/** Refuses anything but a finite number that is not negative; an absent option passes. */
export function checkAmount(name: string, value: number | undefined): void {
  if (value === undefined) return;
  if (!Number.isFinite(value) || value < 0) {
    throw invalidArgument(name, "must be a number of at least 0", value);
  }
}

/** Refuses anything but true or false; an absent option passes. */
export function checkFlag(name: string, value: boolean | undefined): void {
  if (value !== undefined && typeof value !== "boolean") throw invalidArgument(name, "must be true or false", value);
}

/** Refuses anything but a function; an absent option passes. */
export function checkFunction(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "function") throw invalidArgument(name, "must be a function", value);
}

/** Refuses anything but a list of token ids; an absent option passes. */
export function checkTokenIds(name: string, value: readonly number[] | undefined): void {
  if (value === undefined) return;
  const isList = Array.isArray(value) && value.every((id) => Number.isSafeInteger(id) && id >= 0);
  if (!isList) throw invalidArgument(name, "must be a list of token ids", value);
}

/** Refuses anything but bytes, such as the text of a body that somebody has decoded already. */
export function checkBytes(name: string, value: Uint8Array): void {
  if (ArrayBuffer.isView(value)) return;
  throw invalidArgument(name, "must be a Uint8Array, as a response's body gives it or TextEncoder makes it", value);
}

/** Refuses options that do not exist, so that a misspelt limit is not a limit that silently does nothing. */
export function checkNames(name: string, options: object, known: Readonly<Record<string, true>>): void {
  if (typeof options !== "object" || options === null) throw invalidArgument(name, "must be an object", options);
  for (const key of Object.keys(options)) {
    if (!Object.hasOwn(known, key)) {
      throw invalidArgument(name, `has no such option; the options are ${Object.keys(known).join(", ")}`, key);
    }
  }
}
