import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonScanner, isJsonObject } from "../../src/llama/json-scanner.ts";
import { cutAt } from "../support/cuts.ts";
import { same } from "../support/same.ts";

const DEEPEST = 20;

/** Reads pieces as one value and returns the state, and the offset behind the last character taken. */
function scan(pieces: readonly string[], deepest = DEEPEST): [state: string, end: number] {
  const scanner = new JsonScanner(deepest);
  let before = 0;
  for (const piece of pieces) {
    const end = scanner.read(piece, 0);
    if (scanner.state !== "open") return [scanner.state, before + end];
    before += piece.length;
  }
  return [scanner.state, before];
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON with something taken out, put in or changed, so that most of it is nearly right. */
const nearlyJson = fc
  .tuple(
    fc.json({ maxDepth: 4 }),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'[]{}",:\\u0e.+-1tn \n\u0001'), fc.nat(2))),
  )
  .map(([json, changes]) =>
    changes.slice(0, 3).reduce((text, [place, character, taken]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + character + text.slice(at + taken);
    }, json),
  );

describe("scanning JSON as it comes", () => {
  it.each([
    { text: `{"a": [1, -0.5e+3, true, false, null, "x"], "b": {}} `, state: "complete", end: 52 },
    { text: `"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uABCD}" rest`, state: "complete", end: 31 },
    { text: `[] ]`, state: "complete", end: 2 },
    { text: `12,`, state: "complete", end: 2 },
    { text: `0 `, state: "complete", end: 1 },
    { text: `12`, state: "open", end: 2 },
    { text: `{"a": 1,}`, state: "invalid", end: 8 },
    { text: `[1,]`, state: "invalid", end: 3 },
    { text: `{a: 1}`, state: "invalid", end: 1 },
    { text: `{"a" 1}`, state: "invalid", end: 5 },
    { text: `{"a": }`, state: "invalid", end: 6 },
    { text: `[1}`, state: "invalid", end: 2 },
    { text: `[01]`, state: "invalid", end: 2 },
    { text: `[1.]`, state: "invalid", end: 3 },
    { text: `[1e]`, state: "invalid", end: 3 },
    { text: `[-]`, state: "invalid", end: 2 },
    { text: `[nul]`, state: "invalid", end: 4 },
    { text: `"\\x"`, state: "invalid", end: 2 },
    { text: `"\\u00g0"`, state: "invalid", end: 5 },
    { text: `"a\nb"`, state: "invalid", end: 2 },
    { text: `'a'`, state: "invalid", end: 0 },
  ])("$text is $state at $end", ({ text, state, end }) => {
    expect(scan([text])).toEqual([state, end]);
    expect(scan(text.split(""))).toEqual([state, end]);
  });

  it("accepts what JSON.parse accepts, in any cut", () => {
    fc.assert(
      fc.property(nearlyJson, fc.array(fc.nat(99), { maxLength: 10 }), (text, cuts) => {
        // The space shows where a number ends.
        const whole = `${text} `;
        const result = scan(cutAt(whole, cuts));
        same(result, scan([whole]));
        const [state, end] = result;
        same(state === "complete" && whole.slice(end).trim() === "", parses(text));
      }),
      { numRuns: 20_000 },
    );
  });

  it.each([
    { deepest: 3, text: "[[[]]]", state: "complete", end: 6 },
    { deepest: 2, text: "[[[]]]", state: "too-deep", end: 2 },
    { deepest: 0, text: `"a"`, state: "complete", end: 3 },
    { deepest: 0, text: `{}`, state: "too-deep", end: 0 },
    { deepest: 1, text: "[[],[]]", state: "too-deep", end: 1 },
    { deepest: 2, text: "[[],[]]", state: "complete", end: 7 },
  ])("bounds the nesting: $text within $deepest is $state", ({ deepest, text, state, end }) => {
    expect(scan([text], deepest)).toEqual([state, end]);
  });
});

describe("telling whether a text is a JSON object", () => {
  it.each([
    { text: `{"a": 1}`, is: true },
    { text: ` \n{}\t `, is: true },
    { text: `{} x`, is: false },
    { text: `[]`, is: false },
    { text: `"{}"`, is: false },
    { text: `{`, is: false },
    { text: ``, is: false },
    { text: `{"a": {"b": {}}}`, is: true },
    { text: `{"a": {"b": {"c": {}}}}`, is: false },
    { text: `\u00a0{}`, is: false },
  ])("$text: $is", ({ text, is }) => {
    expect(isJsonObject(text, 3)).toBe(is);
  });
});
