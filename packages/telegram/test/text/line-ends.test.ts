import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatThinking } from "../../src/text/thinking.ts";
import { replaceLineEnds } from "../../src/text/line-ends.ts";

describe("line ends and the white space around them", () => {
  it("are replaced as by the pattern that says so", () => {
    const soup = fc.string({ unit: fc.constantFrom("a", " ", "\n", "\t", "\r", "\u2028", "é") });
    fc.assert(
      fc.property(soup, (text) => {
        expect(replaceLineEnds(text, "|")).toBe(text.replaceAll(/\s*\n\s*/gu, "|"));
      }),
    );
  });

  it("are found in thinking of very many blanks, too", () => {
    const blanks = " ".repeat(500_000);
    expect(formatThinking(`So${blanks}\n${blanks}it is${blanks}.`, "done")?.text).toContain("So\nit is");
  });
});
