import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUtf8Decoder } from "../src/index.ts";
import { cutBytesAt } from "./support/cuts.ts";

function decode(pieces: readonly Uint8Array[]): string {
  const decoder = createUtf8Decoder();
  return pieces.map((piece) => decoder.push(piece)).join("") + decoder.end();
}

describe("the UTF-8 decoder", () => {
  it("gives the text of the platform's decoder for any bytes, however they are cut", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.array(fc.nat(60), { maxLength: 12 }), (bytes, cuts) => {
        const expected = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
        expect(decode(cutBytesAt(bytes, cuts))).toBe(expected);
      }),
      { numRuns: 20_000 },
    );
  });

  it("gives back any well-formed text byte by byte and never emits half a character on the way", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 20 }), (text) => {
        const decoder = createUtf8Decoder();
        let decoded = "";
        for (const byte of new TextEncoder().encode(text)) {
          const piece = decoder.push(Uint8Array.of(byte));
          decoded += piece;
          if (!piece.isWellFormed() || !text.startsWith(decoded)) return false;
        }
        return decoded + decoder.end() === text;
      }),
      { numRuns: 10_000 },
    );
  });

  it.each([
    { what: "a character over three tokens", pieces: [[0xe4], [0xbd], [0xa0]], shown: ["", "", "你"], rest: "" },
    { what: "a character that is never finished", pieces: [[0x61, 0xf0, 0x9f], [0x98]], shown: ["a", ""], rest: "�" },
    { what: "a character broken off by another", pieces: [[0xe4, 0xbd], [0x61]], shown: ["", "�a"], rest: "" },
    { what: "an overlong form", pieces: [[0xc0, 0x80]], shown: ["��"], rest: "" },
    { what: "an encoded surrogate", pieces: [[0xed, 0xa0, 0x80]], shown: ["���"], rest: "" },
    { what: "a byte order mark, which is text here", pieces: [[0xef, 0xbb, 0xbf, 0x61]], shown: ["﻿a"], rest: "" },
  ])("handles $what", ({ pieces, shown, rest }) => {
    const decoder = createUtf8Decoder();
    expect(pieces.map((piece) => decoder.push(Uint8Array.from(piece)))).toEqual(shown);
    expect(decoder.end()).toBe(rest);
    expect(decoder.end()).toBe("");
  });
});
