import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findOverlap } from "../../src/agent/overlap.ts";
import type { OverlapOptions } from "../../src/agent/overlap.ts";
import { same } from "../support/same.ts";

const COUNTED = Array.from({ length: 50 }, (_, index) => index + 1).join(", ");

describe("the overlap of an answer and its continuation", () => {
  it.each([
    { what: "words", before: "It was a dark night", after: "dark night and cold", overlap: "dark night" },
    { what: "all of the continuation", before: "one two three", after: "two three", overlap: "two three" },
    { what: "all of the answer", before: "one two", after: "one two three", overlap: "one two" },
    { what: "the longest of several", before: "abcabcabc", after: "abcabcabcd", overlap: "abcabcabc" },
    { what: "a shorter one where the longest breaks off", before: "abcabcabc", after: "abcabcd", overlap: "abcabc" },
    {
      what: "a shorter one where the longest does not come to its end",
      before: "abcabcabc",
      after: "abcabc",
      overlap: "abcabc",
    },
    { what: "a heading", before: "end.\n# A", after: "\n# A tale", overlap: "\n# A" },
    { what: "an item", before: "x\n- a", after: "\n- apple", overlap: "\n- a" },
    { what: "an indented item", before: "x\n * a", after: "\n * apple", overlap: "\n * a" },
    { what: "a numbered item", before: "x\n12.", after: "\n12. y", overlap: "\n12." },
    { what: "a table row", before: "x\n| a", after: "\n| a | b |", overlap: "\n| a" },
    { what: "a code block", before: "x\n```", after: "\n```ts", overlap: "\n```" },
    { what: "other scripts", before: "それは暗い夜", after: "は暗い夜だった", overlap: "は暗い夜" },
    { what: "whole characters", before: "ab😀😀😀😀", after: "😀😀😀😀!", overlap: "😀😀😀😀" },
  ])("is $what", ({ before, after, overlap }) => {
    expect(after.slice(0, findOverlap(before, after))).toBe(overlap);
  });

  it.each([
    { what: "nothing alike", before: "one two three", after: " four five" },
    { what: "nothing before", before: "", after: "one two three" },
    { what: "nothing after", before: "one two three", after: "" },
    { what: "five bytes", before: "x hello", after: "hello!" },
    { what: "three characters of many bytes", before: "x😀😀😀", after: "😀😀😀!" },
    { what: "three bytes of structure", before: "x\n- ", after: "\n- y" },
    { what: "four bytes without structure", before: "x\nabc", after: "\nabcd" },
    { what: "structure whose line end is not repeated", before: "x\n- ab", after: "- abc" },
    { what: "half a character at the end", before: "abcdefgh\ud83d", after: "abcdefgh\ud83d\ude00" },
    { what: "half a character at the beginning", before: "x\ud83d\ude00abcdefgh", after: "\ude00abcdefgh" },
    { what: "a middle of the answer", before: "one two three.", after: "one two four" },
  ])("is none for $what", ({ before, after }) => {
    expect(findOverlap(before, after)).toBe(0);
  });

  it.each([
    { what: "the last numbers", after: "49, 50, 51, 52" },
    { what: "the last numbers after a space", after: " 49, 50, 51, 52" },
    {
      what: "many numbers",
      after: "20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, ".concat(
        Array.from({ length: 22 }, (_, index) => index + 31).join(", "),
      ),
    },
    { what: "nothing", after: " 51, 52" },
  ])("of counted numbers leaves none out and none twice when it repeats $what", ({ after }) => {
    const before = `${COUNTED},`;
    const joined = before + after.slice(findOverlap(before, after));
    expect(joined.split(",").map(Number)).toEqual(Array.from({ length: 52 }, (_, index) => index + 1));
  });

  it("is at most 4,000 characters long", () => {
    const text = Array.from({ length: 2000 }, (_, index) => index).join(" ");
    expect(findOverlap(text, text.slice(-4000))).toBe(4000);
    expect(findOverlap(text, text.slice(-4001))).toBe(0);
    expect(findOverlap(text, text.slice(-4001), { maxLength: 5000 })).toBe(4001);
  });

  it("has limits of the caller's own", () => {
    expect(findOverlap("x hello", "hello!", { minBytes: 5 })).toBe(5);
    expect(findOverlap("x 😀😀", "😀😀!", { minCodePoints: 2 })).toBe(4);
    expect(findOverlap("x\n- ", "\n- y", { minStructureBytes: 3 })).toBe(3);
  });

  it.each([
    { options: { maxLength: 0 }, error: "maxLength must be a whole number of at least 1, got 0" },
    { options: { minBytes: 1.5 }, error: "minBytes must be a whole number of at least 1, got 1.5" },
    { options: { min: 1 }, error: "overlap has no such option" },
  ])("refuses $options", ({ options, error }) => {
    expect(() => findOverlap("a", "b", options as OverlapOptions)).toThrow(error);
  });

  it("agrees with the plain definition", () => {
    fc.assert(
      fc.property(anyPair, fc.integer({ min: 1, max: 30 }), ([before, after], maxLength) => {
        same(findOverlap(before, after, { maxLength }), plainOverlap(before, after, maxLength));
      }),
      { numRuns: 5000 },
    );
  });
});

const anyLetters = fc.array(fc.constantFrom("a", "b", "\n", "- ", "1.", "é", "夜", "😀", "\ud83d", "\ude00"), {
  maxLength: 12,
});

/** Two texts of which the second often begins as the first ends. */
const anyPair = fc
  .tuple(anyLetters, anyLetters, anyLetters)
  .map(([one, two, three]) => [[...one, ...two].join(""), [...two, ...three].join("")] as const);

function plainOverlap(before: string, after: string, maxLength: number): number {
  for (let length = Math.min(maxLength, before.length, after.length); length > 0; length--) {
    const text = after.slice(0, length);
    if (before.endsWith(text) && isEnough(text)) return length;
  }
  return 0;
}

function isEnough(text: string): boolean {
  const bytes = new TextEncoder().encode(text).length;
  const hasStructure = /\n[ \t]*(#|-|\*|\||```|[0-9]+\.)/.test(text);
  const isTorn = /^[\udc00-\udfff]|[\ud800-\udbff]$/.test(text);
  return !isTorn && ((bytes >= 6 && [...text].length >= 4) || (bytes >= 4 && hasStructure));
}
