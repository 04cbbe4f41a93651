import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/agent/canonical-json.ts";
import { same } from "../support/same.ts";

describe("canonical JSON", () => {
  it.each([
    ['{"b":1,"a":2}', '{"a":2,"b":1}'],
    [' { "a" : [ 1 , { "d" : 1, "c" : null } ] } ', '{"a":[1,{"c":null,"d":1}]}'],
    ['"\\u0061"', '"a"'],
    ["1.50", "1.5"],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"__proto__":1,"a":{"__proto__":{}}}', '{"__proto__":1,"a":{"__proto__":{}}}'],
    ["", "{}"],
    [" \n", "{}"],
    ["{}", "{}"],
  ])("writes %s as %s", (json, expected) => {
    expect(canonicalJson(json)).toBe(expected);
  });

  it.each(['{"a":', "nothing", "{'a': 1}", '{"a":1}}'])("leaves %s, which is not JSON, as it is", (json) => {
    expect(canonicalJson(json)).toBe(json);
  });

  it.each([
    ["12345678901234567890", "12345678901234567891"],
    ['{"id":1234567890123456789}', '{"id":1234567890123456788}'],
    ["1e999", "2e999"],
    ["0.12345678901234567891", "0.12345678901234567892"],
  ])("tells %s from %s", (one, other) => {
    expect(canonicalJson(one)).not.toBe(canonicalJson(other));
  });

  it("sorts keys beside numbers of full length and long digits in strings", () => {
    expect(canonicalJson('{"b":0.30000000000000004,"a":"\\"12345678901234567890"}')).toBe(
      '{"a":"\\"12345678901234567890","b":0.30000000000000004}',
    );
  });

  it("takes JSON of any depth", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(canonicalJson(deep) === deep).toBe(true);
  });

  it("is the same for every order of keys and every layout, has the same value, and is its own form", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
        const json = JSON.stringify(value);
        const canonical = canonicalJson(json);
        same(canonicalJson(JSON.stringify(reversed(value), undefined, indent)), canonical);
        same(JSON.parse(canonical), JSON.parse(json));
        same(canonicalJson(canonical), canonical);
      }),
    );
  });
});

/** The same value with the keys of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => reversed(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}
