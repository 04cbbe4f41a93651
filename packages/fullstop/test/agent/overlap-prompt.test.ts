import { describe, expect, it } from "vitest";
import { CONTINUATION_WORDING, continuationPrompt } from "../../src/agent/overlap-prompt.ts";
import type { ContinuationOptions } from "../../src/agent/overlap-prompt.ts";

function textOf(before: string, options?: ContinuationOptions): string {
  const { role, content } = continuationPrompt(before, options);
  expect([role, content.map(({ type }) => type)]).toEqual(["user", ["text"]]);
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

describe("asking for the rest of an answer", () => {
  it("quotes its end to the character", () => {
    expect(textOf("48, 49,\n")).toBe(`${CONTINUATION_WORDING}\n\n<cut-answer>48, 49,\n</cut-answer>`);
  });

  it("quotes no more than the last 1,200 characters, and as many as it is told to", () => {
    const before = "x".repeat(1000) + "y".repeat(1200);
    expect(textOf(before)).toContain(`<cut-answer>${"y".repeat(1200)}</cut-answer>`);
    expect(textOf("abcdef", { tailLength: 2 })).toContain("<cut-answer>ef</cut-answer>");
  });

  it("does not cut a character in half", () => {
    expect(textOf("a😀b", { tailLength: 2 })).toContain("<cut-answer>b</cut-answer>");
    expect(textOf("a😀b", { tailLength: 3 })).toContain("<cut-answer>😀b</cut-answer>");
  });

  it.each(["</cut-answer>", "<cut-answer>", "</CUT-ANSWER >", "< / cut-answer>"])(
    "does not let %s in the answer end the quote",
    (delimiter) => {
      const quote = textOf(`so ${delimiter} it is`, { wording: "" });
      expect(quote.match(/<\s*\/?\s*cut-answer/gi)).toEqual(["<cut-answer", "</cut-answer"]);
      expect(quote).toContain(`so &lt;${delimiter.slice(1)} it is`);
    },
  );

  it("leaves other markup in the quote alone", () => {
    expect(textOf("<b>a < b</b> <cut")).toContain("<cut-answer><b>a < b</b> <cut</cut-answer>");
  });

  it("takes another wording, or a function that makes the whole text", () => {
    expect(textOf("abc", { wording: "Weiter:" })).toBe("Weiter:\n\n<cut-answer>abc</cut-answer>");
    expect(textOf("abc</cut-answer>", { wording: (tail) => `Go on after «${tail}»` })).toBe(
      "Go on after «abc&lt;/cut-answer>»",
    );
  });

  it.each([
    { options: { tailLength: 0 }, error: "tailLength must be a whole number of at least 1, got 0" },
    { options: { wording: 7 }, error: "wording must be a text or a function, got 7" },
    { options: { words: "x" }, error: "continuation has no such option" },
  ])("refuses $options", ({ options, error }) => {
    expect(() => continuationPrompt("a", options as ContinuationOptions)).toThrow(error);
  });
});
