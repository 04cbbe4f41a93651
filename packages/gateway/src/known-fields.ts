import { quoteValue } from "./quote-value.ts";
import { RequestError } from "./request-error.ts";

/**
 * The fields of a body or a query that the gateway itself defines; none where there is nothing. Whoever misspells one
 * is told: otherwise something else would be done than was asked for, such as a stop in place of a skip.
 */
export function readKnown<Name extends string>(
  what: string,
  given: unknown,
  names: readonly Name[],
): { readonly [Known in Name]?: unknown } {
  if (given === undefined || given === null) return {};
  if (typeof given !== "object" || Array.isArray(given)) {
    throw new RequestError("invalid_request", `${what} takes an object, got ${quoteValue(given)}`);
  }
  const known: readonly string[] = names;
  const stranger = Object.keys(given).find((name) => !known.includes(name));
  if (stranger === undefined) return given;
  throw new RequestError("invalid_request", `${what} takes ${known.join(", ")}, got ${quoteValue(stranger)}`);
}
