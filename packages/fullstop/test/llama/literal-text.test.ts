import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLiteralText } from "../../src/llama/literal-text.ts";

describe("createLiteralText", () => {
  const markers = ["<|im_end|>", "<think>", "</think>", "nk><|im"];
  const literal = createLiteralText(markers);

  it.each(["<|im_end|>", "a<think>b</think>c", "<think><|im_end|>", "<<think>>", "<think><|im_start|>"])(
    "leaves no marker whole in %s",
    (text) => {
      const parts = literal.parts(literal.protect(text));
      expect(parts.join("")).toBe(text);
      for (const part of parts) expect(markers.filter((marker) => part.includes(marker))).toEqual([]);
    },
  );

  it("leaves no marker whole in any text, and loses nothing", () => {
    const piece = fc.oneof(fc.constantFrom(...markers, "<", ">", "|", "im_", "nk>", "think"), fc.string());
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join("").replaceAll("\uFDD0", "");
        const parts = literal.parts(literal.protect(text));
        expect(parts.join("")).toBe(text);
        expect(parts.some((part) => markers.some((marker) => part.includes(marker)))).toBe(false);
      }),
    );
  });

  it("does not touch ordinary text", () => {
    expect(literal.protect("Use <answer></answer>.")).toBe("Use <answer></answer>.");
  });

  it("does not let a text bring its own cuts", () => {
    expect(literal.parts(literal.protect("a\uFDD0b"))).toEqual(["a\uFFFDb"]);
  });

  it("works for a vocabulary without markers", () => {
    const plain = createLiteralText([]);
    expect(plain.parts(plain.protect("<think>"))).toEqual(["<think>"]);
  });
});
