import { inspect, isDeepStrictEqual } from "node:util";

/**
 * Throws unless two values are equal. Properties compare tens of thousands of values, and the test runner's own
 * `expect` takes a fraction of a millisecond for each.
 */
export function same(actual: unknown, expected: unknown): void {
  if (actual === expected || isDeepStrictEqual(actual, expected)) return;
  throw new Error(`got ${inspect(actual, { depth: 6 })}, expected ${inspect(expected, { depth: 6 })}`);
}
