import fc from "fast-check";
import type { MessageEntity } from "grammy/types";
import { describe, expect, it } from "vitest";
import { formatMarkdown, MESSAGE_LIMIT, splitFormatted, type FormattedText } from "../../src/index.ts";
import { sliceFormatted } from "../../src/text/entities.ts";
import { ANSWERS, TECHNICAL } from "../support/answers.ts";
import { markdownSoup, plainParagraphs } from "../support/markdown-soup.ts";
import { findFaults, MESSAGE } from "../support/valid-entities.ts";

const plain = (text: string): FormattedText => ({ text, entities: [] });
const texts = (pieces: readonly FormattedText[]): readonly string[] => pieces.map((piece) => piece.text);
const visible = (text: string): string =>
  text.replaceAll(/[\s\u00AD\u200B-\u200F\u2060\uFEFF\uFFFC\u2800\u180E\u{E0000}-\u{E007F}]/gu, "");

/** The characters of each style, however many entities they are in. */
function charactersByStyle(pieces: readonly FormattedText[]): ReadonlyMap<string, string> {
  const styles = new Map<string, string>();
  const nameOf = (entity: MessageEntity): string => JSON.stringify({ ...entity, offset: 0, length: 0 });
  for (const { text, entities } of pieces) {
    for (const entity of entities) {
      const name = nameOf(entity);
      styles.set(name, (styles.get(name) ?? "") + visible(text.slice(entity.offset, entity.offset + entity.length)));
    }
  }
  return styles;
}

const PLACES: readonly {
  readonly name: string;
  readonly text: string;
  readonly limit: number;
  readonly pieces: readonly string[];
}[] = [
  { name: "nowhere if it fits", text: "a b c", limit: 5, pieces: ["a b c"] },
  {
    name: "between paragraphs",
    text: "One. Two\nthree.\n\nFour five",
    limit: 25,
    pieces: ["One. Two\nthree.", "Four five"],
  },
  { name: "at a paragraph that ends with the room", text: "aaaa bbb\n\ncc", limit: 8, pieces: ["aaaa bbb", "cc"] },
  {
    name: "between lines",
    text: "One two six\nthree four five six",
    limit: 15,
    pieces: ["One two six", "three four five", "six"],
  },
  {
    name: "between sentences",
    text: "One two three. Four five six seven",
    limit: 20,
    pieces: ["One two three.", "Four five six seven"],
  },
  {
    name: "after a quoted sentence",
    text: "He said: “Yes!” And then nothing more",
    limit: 22,
    pieces: ["He said: “Yes!”", "And then nothing more"],
  },
  {
    name: "between sentences without spaces",
    text: "你好世界。今天天气很好我们出去",
    limit: 9,
    pieces: ["你好世界。", "今天天气很好我们出", "去"],
  },
  { name: "between words", text: "One two three four", limit: 9, pieces: ["One two", "three", "four"] },
  { name: "within a word too long", text: "abcdefghij", limit: 4, pieces: ["abcd", "efgh", "ij"] },
  {
    name: "not at an early paragraph",
    text: "A\n\nbb cc dd ee ff gg hh",
    limit: 16,
    pieces: ["A\n\nbb cc dd ee", "ff gg hh"],
  },
  { name: "not within a surrogate pair", text: "a😀😀😀", limit: 4, pieces: ["a😀", "😀😀"] },
  { name: "not within a family", text: "ab👨‍👩‍👧‍👦cd", limit: 11, pieces: ["ab", "👨‍👩‍👧‍👦", "cd"] },
  { name: "not between a letter and its accent", text: "abce\u0301f", limit: 4, pieces: ["abc", "e\u0301f"] },
  { name: "within a family if there is no room for it", text: "👨‍👩‍👧‍👦", limit: 4, pieces: ["👨‍", "👩‍", "👧‍", "👦"] },
];

describe("splitting a text into messages", () => {
  it.each(PLACES)("cuts $name", ({ text, limit, pieces }) => {
    expect(texts(splitFormatted(plain(text), { limit }))).toEqual(pieces);
  });

  it("closes code and opens it again, with its language and its indentation", () => {
    const pieces = splitFormatted(formatMarkdown("```py\ndef a():\n    return 1\n    # end\n```"), { limit: 22 });
    expect(pieces).toEqual([
      { text: "def a():\n    return 1", entities: [{ type: "pre", language: "py", offset: 0, length: 21 }] },
      { text: "    # end", entities: [{ type: "pre", language: "py", offset: 0, length: 9 }] },
    ]);
  });

  it("closes quotes and opens them again, with what is in them", () => {
    const pieces = splitFormatted(formatMarkdown("> one **two\n> three** four"), { limit: 10 });
    expect(pieces).toEqual([
      {
        text: "one two",
        entities: [
          { type: "blockquote", offset: 0, length: 7 },
          { type: "bold", offset: 4, length: 3 },
        ],
      },
      {
        text: "three four",
        entities: [
          { type: "blockquote", offset: 0, length: 10 },
          { type: "bold", offset: 0, length: 5 },
        ],
      },
    ]);
  });

  it("moves code that begins late as a whole", () => {
    const pieces = splitFormatted(formatMarkdown("Words in front.\n```\na\nb\nc\nd\n```"), { limit: 20 });
    expect(texts(pieces)).toEqual(["Words in front.", "a\nb\nc\nd"]);
  });

  it.each([
    { name: "links", markdown: "one [two three four](https://a.example/) five" },
    { name: "inline code", markdown: "one `two three four` five" },
  ])("keeps $name whole", ({ markdown }) => {
    const pieces = splitFormatted(formatMarkdown(markdown), { limit: 14 });
    expect(texts(pieces)).toEqual(["one", "two three four", "five"]);
    expect(pieces[1]?.entities).toMatchObject([{ offset: 0, length: 14 }]);
  });

  it("cuts a link that fits nowhere", () => {
    const pieces = splitFormatted(formatMarkdown("[abcdefghij](https://a.example/)"), { limit: 6 });
    expect(texts(pieces)).toEqual(["abcdef", "ghij"]);
    expect(pieces.map((piece) => piece.entities.length)).toEqual([1, 1]);
  });

  it("gives the first piece less room if it is told to", () => {
    expect(texts(splitFormatted(plain("one two three four"), { limit: 10, first: 4 }))).toEqual([
      "one",
      "two three",
      "four",
    ]);
  });

  it("begins a new piece before Telegram forgets formatting", () => {
    const markdown = Array.from({ length: 250 }, (_, index) => `[${index}](https://a.example/${index})`).join(" ");
    const pieces = splitFormatted(formatMarkdown(markdown));
    expect(pieces.map((piece) => piece.entities.length)).toEqual([96, 96, 58]);
  });

  it("makes nothing of nothing", () => {
    expect(splitFormatted(plain(" \n\u200B "))).toEqual([]);
    expect(splitFormatted(plain(""))).toEqual([]);
  });

  it.each([1, 0, -5, 2.5, Number.NaN])("refuses room for %d code units", (limit) => {
    expect(() => splitFormatted(plain("a"), { limit })).toThrow(
      `limit must be a whole number of at least 2, got ${limit}`,
    );
    expect(() => splitFormatted(plain("a"), { first: limit })).toThrow(`first must be`);
  });
});

describe("the pieces of any text", () => {
  const rooms = fc.record({ limit: fc.integer({ min: 8, max: 120 }), first: fc.integer({ min: 2, max: 120 }) });

  it("are valid, fit, and lose neither text nor formatting", () => {
    fc.assert(
      fc.property(markdownSoup, rooms, (markdown, { limit, first }) => {
        const whole = formatMarkdown(markdown);
        const pieces = splitFormatted(whole, { limit, first });
        for (const [index, piece] of pieces.entries()) {
          expect(findFaults(piece, { limit: index === 0 ? first : limit, entities: 100 })).toEqual([]);
        }
        expect(visible(texts(pieces).join(""))).toBe(visible(whole.text));
        expect(texts(pieces).join("").replaceAll(/\s/gu, "").length).toBeLessThanOrEqual(whole.text.length);
        for (const [style, characters] of charactersByStyle(pieces)) {
          expect(characters).toBe(charactersByStyle([whole]).get(style));
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("are valid for long answers", () => {
    for (const answer of [...ANSWERS, ANSWERS.join("\n\n").repeat(4)]) {
      const whole = formatMarkdown(answer);
      const pieces = splitFormatted(whole);
      expect(pieces.flatMap((piece) => findFaults(piece, MESSAGE))).toEqual([]);
      expect(visible(texts(pieces).join(""))).toBe(visible(whole.text));
      expect(pieces.length).toBeLessThanOrEqual(Math.ceil(whole.text.length / (MESSAGE_LIMIT / 2)));
    }
  });

  it("stay the same while a text grows", () => {
    fc.assert(
      fc.property(plainParagraphs, rooms, (text, { limit, first }) => {
        const final = splitFormatted(plain(text), { limit, first });
        for (let length = 1; length < text.length; length += 1) {
          const shorter = text.slice(0, length);
          if (!shorter.isWellFormed()) continue;
          const pieces = splitFormatted(plain(shorter), { limit, first });
          expect(pieces.slice(0, -1)).toEqual(final.slice(0, Math.max(0, pieces.length - 1)));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("stay the same while an answer grows whose Markdown keeps its meaning", () => {
    const source = TECHNICAL.repeat(2);
    let compared = 0;
    let previous = formatMarkdown("");
    for (let length = 1; length <= source.length; length += 1) {
      const whole = formatMarkdown(source.slice(0, length));
      const isGrown = whole.text.startsWith(previous.text);
      const before = sliceFormatted(whole, 0, previous.text.length);
      if (isGrown && JSON.stringify(before) === JSON.stringify(previous)) {
        const pieces = splitFormatted(previous, { limit: 400 });
        const grown = splitFormatted(whole, { limit: 400 });
        expect(grown.slice(0, Math.max(0, pieces.length - 1))).toEqual(pieces.slice(0, -1));
        compared += 1;
      }
      previous = whole;
    }
    expect(compared).toBeGreaterThan(source.length / 2);
  });
});
