import { describe, expect, it } from "vitest";
import { tokenBytesOf } from "../../src/llama/token-bytes.ts";

const decode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

describe("tokens of a byte-level vocabulary", () => {
  const toBytes = tokenBytesOf("gpt2")!;

  it.each([
    ["Ġhello", " hello"],
    ["Ċ", "\n"],
    ["ä½łå¥½", "你好"],
    ["ðŁĺĢ", "😀"],
    ["ÃŃ", "í"],
  ])("spell %s as %j", (spelling, text) => {
    expect(decode(toBytes(spelling))).toBe(text);
  });

  it("stand for every byte by one letter", () => {
    const letters = Array.from({ length: 0x200 }, (_, code) => String.fromCodePoint(code));
    const bytes = letters.map(toBytes).filter((spelt) => spelt.length === 1);
    expect(new Set(bytes.map(([byte]) => byte)).size).toBe(256);
  });

  it("are taken as they look where a letter is none of these", () => {
    expect(decode(toBytes("<|日本|>"))).toBe("<|日本|>");
  });
});

describe("tokens of a SentencePiece vocabulary", () => {
  const toBytes = tokenBytesOf("llama")!;

  it.each([
    ["▁hello", " hello"],
    ["▁▁", "  "],
    ["é", "é"],
    ["<0x0A>", "\n"],
    ["<0xZZ>", "<0xZZ>"],
  ])("spell %s as %j", (spelling, text) => {
    expect(decode(toBytes(spelling))).toBe(text);
  });

  it("may be single bytes of a character", () => {
    expect([...toBytes("<0xE4>")]).toEqual([0xe4]);
  });
});

it("says nothing of a kind of tokenizer that it does not know", () => {
  expect(tokenBytesOf("rwkv")).toBeUndefined();
});
