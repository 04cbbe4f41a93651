import fc from "fast-check";
import type { MessageEntity } from "grammy/types";
import { describe, expect, it } from "vitest";
import { formatMarkdown } from "../../src/index.ts";
import { createMarkdownFormatter } from "../../src/text/format-markdown.ts";
import { ANSWERS } from "../support/answers.ts";
import { markdownSoup } from "../support/markdown-soup.ts";
import { findFaults, WHOLE } from "../support/valid-entities.ts";

/** What an entity does to which characters, as one line. */
function describeEntity(text: string, entity: MessageEntity): string {
  const detail =
    entity.type === "text_link" ? ` ${entity.url}` : entity.type === "pre" ? ` ${entity.language ?? ""}` : "";
  return `${entity.type}${detail.trimEnd()}: ${text.slice(entity.offset, entity.offset + entity.length)}`;
}

function show(markdown: string): { text: string; entities: readonly string[] } {
  const { text, entities } = formatMarkdown(markdown);
  return { text, entities: entities.map((entity) => describeEntity(text, entity)) };
}

interface Rule {
  readonly name: string;
  readonly markdown: string;
  readonly text: string;
  readonly entities?: readonly string[];
}

const INLINE: readonly Rule[] = [
  { name: "bold", markdown: "a **b** __c__", text: "a b c", entities: ["bold: b", "bold: c"] },
  { name: "italic", markdown: "a *b* _c_", text: "a b c", entities: ["italic: b", "italic: c"] },
  { name: "bold italic", markdown: "***b***", text: "b", entities: ["bold: b", "italic: b"] },
  { name: "italic in bold", markdown: "**a *b* c**", text: "a b c", entities: ["bold: a b c", "italic: b"] },
  { name: "bold in bold once", markdown: "**a __b__ c**", text: "a b c", entities: ["bold: a b c"] },
  { name: "strikethrough", markdown: "~~a~~", text: "a", entities: ["strikethrough: a"] },
  { name: "one tilde as 'about'", markdown: "~5-~6 km", text: "~5-~6 km" },
  { name: "inline code", markdown: "a `b  c` d", text: "a b  c d", entities: ["code: b  c"] },
  {
    name: "code in bold as neighbours",
    markdown: "**a `b` c**",
    text: "a b c",
    entities: ["bold: a ", "code: b", "bold:  c"],
  },
  { name: "bold around code only", markdown: "**`b`**", text: "b", entities: ["code: b"] },
  { name: "no references in code", markdown: "`&amp;`", text: "&amp;", entities: ["code: &amp;"] },
  { name: "a link", markdown: "[a](https://x.example/y)", text: "a", entities: ["text_link https://x.example/y: a"] },
  {
    name: "a link in Telegram",
    markdown: "[a](tg://resolve?domain=b)",
    text: "a",
    entities: ["text_link tg://resolve?domain=b: a"],
  },
  {
    name: "bold in a link",
    markdown: "[a **b**](https://x.example/)",
    text: "a b",
    entities: ["text_link https://x.example/: a b", "bold: b"],
  },
  {
    name: "a link before code in it",
    markdown: "[`a`](https://x.example/)",
    text: "a",
    entities: ["text_link https://x.example/: a"],
  },
  { name: "an address in Unicode", markdown: "[a](https://x.example/ä b)", text: "[a](https://x.example/ä b)" },
  {
    name: "an address in brackets",
    markdown: "[a](<https://x.example/ä b>)",
    text: "a",
    entities: ["text_link https://x.example/%C3%A4%20b: a"],
  },
  {
    name: "references in an address",
    markdown: "[a](https://x.example/?b&amp;c)",
    text: "a",
    entities: ["text_link https://x.example/?b&c: a"],
  },
  {
    name: "a link without text",
    markdown: "[](https://x.example/)",
    text: "https://x.example/",
    entities: ["text_link https://x.example/: https://x.example/"],
  },
  { name: "a script's address as text", markdown: "[a](javascript:alert)", text: "a" },
  { name: "a relative address as text", markdown: "[a](./b.md)", text: "a" },
  { name: "a person's number as text", markdown: "[a](tg://user?id=1)", text: "a" },
  {
    name: "a local address beside its text",
    markdown: "[a](http://localhost:3000/b)",
    text: "a (http://localhost:3000/b)",
  },
  { name: "a mail address beside its text", markdown: "[a](mailto:b@c.example)", text: "a (b@c.example)" },
  { name: "a mail address as itself", markdown: "[b@c.example](mailto:b@c.example)", text: "b@c.example" },
  {
    name: "a bare address",
    markdown: "https://x.example/?a&amp;b and <https://y.example>",
    text: "https://x.example/?a&amp;b and https://y.example",
  },
  {
    name: "a definition as it is written",
    markdown: "[a][1]\n\n[1]: https://x.example",
    text: "[a][1]\n\n[1]: https://x.example",
  },
  {
    name: "an image as a link",
    markdown: "![a](https://x.example/b.png)",
    text: "a",
    entities: ["text_link https://x.example/b.png: a"],
  },
  {
    name: "an image in a link",
    markdown: "[![a](https://x.example/b.png)](https://y.example/)",
    text: "a",
    entities: ["text_link https://y.example/: a"],
  },
  { name: "tags as text", markdown: "a <b>b</b> <br> <i", text: "a <b>b</b> <br> <i" },
  {
    name: "references",
    markdown: "&lt;a&gt; &amp;amp; &#8364; &#x20AC; &unknown; &copy",
    text: "<a> &amp; € € &unknown; &copy",
  },
  { name: "impossible references", markdown: "a&#0;b&#xD800;c&#1114112;", text: "a\uFFFDb\uFFFDc\uFFFD" },
  { name: "escapes", markdown: "\\*a\\* \\& \\`", text: "*a* & `" },
  { name: "stars and underscores that mean nothing", markdown: "2 * 3 * 4 a_b_c", text: "2 * 3 * 4 a_b_c" },
  { name: "line breaks", markdown: "a  \nb\\\nc\n   d", text: "a\nb\nc\nd" },
];

const BLOCKS: readonly Rule[] = [
  { name: "a heading", markdown: "# a *b*\ntext", text: "a b\ntext", entities: ["bold: a b", "italic: b"] },
  { name: "a heading with bold in it", markdown: "## **a** b ##", text: "a b", entities: ["bold: a b"] },
  { name: "an underlined heading", markdown: "a\n===\n\nb", text: "a\n\nb", entities: ["bold: a"] },
  { name: "no heading by a list that begins", markdown: "a\n-", text: "a\n-" },
  {
    name: "blank lines as they are, one at most",
    markdown: "\n\na\nb\n\n\n\nc\n- d\n\n# e\n\n",
    text: "a\nb\n\nc\n• d\n\ne",
    entities: ["bold: e"],
  },
  {
    name: "a code block",
    markdown: "a\n```py\n  if x:\n\ty\n```\nb",
    text: "a\n  if x:\n    y\nb",
    entities: ["pre py:   if x:\n    y"],
  },
  { name: "a code block without language", markdown: "```\n**a**\n```", text: "**a**", entities: ["pre: **a**"] },
  {
    name: "only the language of a code block",
    markdown: '~~~js title="a"\nb\n~~~',
    text: "b",
    entities: ["pre js: b"],
  },
  { name: "indented code", markdown: "a\n\n    b\n      c", text: "a\n\nb\n  c", entities: ["pre: b\n  c"] },
  { name: "a list", markdown: "- a\n* b\n+ c", text: "• a\n• b\n• c" },
  { name: "a numbered list", markdown: "3. a\n4. b", text: "3. a\n4. b" },
  { name: "a loose list", markdown: "- a\n\n- b\n- c", text: "• a\n\n• b\n• c" },
  {
    name: "lists in lists",
    markdown: "- a\n  1. b\n     c\n     - d\n- e",
    text: "• a\n   1. b\n      c\n      • d\n• e",
  },
  { name: "a list with paragraphs", markdown: "1. a\n\n   b\n2. c", text: "1. a\n\n   b\n2. c" },
  { name: "a task list", markdown: "- [ ] a\n- [x] **b**\n- c", text: "☐ a\n☑ b\n• c", entities: ["bold: b"] },
  { name: "a loose task list", markdown: "- [ ] a\n\n- [x] b", text: "☐ a\n\n☑ b" },
  { name: "a numbered task list", markdown: "1. [ ] a\n2. [x] b", text: "1. ☐ a\n2. ☑ b" },
  {
    name: "code in a list",
    markdown: "- a\n  ```js\n  b\n    c\n  ```\n  d",
    text: "• a\nb\n  c\n   d",
    entities: ["pre js: b\n  c"],
  },
  { name: "a list that begins with code", markdown: "- ```\n  a\n  ```", text: "• \na", entities: ["pre: a"] },
  {
    name: "a quote",
    markdown: "> a **b**\n> c\n\nd",
    text: "a b\nc\n\nd",
    entities: ["blockquote: a b\nc", "bold: b"],
  },
  {
    name: "a quote in a quote, flattened",
    markdown: "> a\n> > b\n>\n> c",
    text: "a\nb\n\nc",
    entities: ["blockquote: a\nb\n\nc"],
  },
  {
    name: "code in a quote",
    markdown: "> a\n> ```\n> b\n> ```",
    text: "a\nb",
    entities: ["blockquote: a\nb", "pre: b"],
  },
  { name: "a quote in a list", markdown: "- a\n  > b\n- c", text: "• a\n   b\n• c", entities: ["blockquote: b"] },
  { name: "a rule", markdown: "a\n\n---\n\nb", text: "a\n\n————————\n\nb" },
  {
    name: "a block of HTML",
    markdown: "<div>\n  **a** &amp;\n</div>\n\n*b*",
    text: "<div>\n  **a** &amp;\n</div>\n\nb",
    entities: ["italic: b"],
  },
  { name: "a comment", markdown: "a\n\n<!-- b -->", text: "a\n\n<!-- b -->" },
];

const TABLES: readonly { readonly name: string; readonly markdown: string; readonly lines: readonly string[] }[] = [
  {
    name: "aligns columns",
    markdown: "| Name | Qty | Mid |\n|:--|--:|:-:|\n| **Apple** | 3 | x |\n| Fig | 1200 | `yes` |",
    lines: ["Name  |  Qty | Mid", "------|------|----", "Apple |    3 |  x", "Fig   | 1200 | yes"],
  },
  {
    name: "knows wide characters and emoji",
    markdown: "a | b\n--|--\n中文 | 1\n👨‍👩‍👧‍👦 | 2\ne\u0301e\u0301e\u0301 | 3",
    lines: ["a    | b", "-----|--", "中文 | 1", "👨‍👩‍👧‍👦   | 2", "e\u0301e\u0301e\u0301  | 3"],
  },
  { name: "fills up short rows", markdown: "|a|b|\n|-|-|\n|1|\n", lines: ["a | b", "--|--", "1 |"] },
];

const HALF_WRITTEN: readonly Rule[] = [
  { name: "bold", markdown: "a **bol", text: "a **bol" },
  { name: "bold and italic crosswise", markdown: "**a *b** c", text: "*a b c", entities: ["italic: a b"] },
  { name: "inline code", markdown: "a `cod", text: "a `cod" },
  { name: "a fence", markdown: "a\n```py\nprint(", text: "a\nprint(", entities: ["pre py: print("] },
  { name: "a fence that begins", markdown: "a\n\n```py", text: "a" },
  { name: "a fence that ends", markdown: "```py\na\n``", text: "a\n``", entities: ["pre py: a\n``"] },
  { name: "a fence alone", markdown: "```", text: "```" },
  { name: "a link", markdown: "[link](http://", text: "[link](http://" },
  { name: "the text of a link", markdown: "see [lin", text: "see [lin" },
  { name: "a table's head", markdown: "| a | b |\n|--", text: "| a | b |\n|--" },
  {
    name: "a table's row",
    markdown: "| a | b |\n|---|---|\n| c",
    text: "a | b\n--|--\nc |",
    entities: ["pre: a | b\n--|--\nc |"],
  },
  { name: "a list", markdown: "- a\n-", text: "• a\n•" },
  { name: "a quote", markdown: "> a\n>", text: "a", entities: ["blockquote: a"] },
  { name: "a tag", markdown: "a <b", text: "a <b" },
  { name: "half a character", markdown: "a \uD83D", text: "a \uFFFD" },
];

describe("Markdown as text with entities", () => {
  it.each(INLINE)("has in a line: $name", ({ markdown, text, entities }) => {
    expect(show(markdown)).toEqual({ text, entities: entities ?? [] });
  });

  it.each(BLOCKS)("has as a block: $name", ({ markdown, text, entities }) => {
    expect(show(markdown)).toEqual({ text, entities: entities ?? [] });
  });

  it.each(TABLES)("has tables as code and $name", ({ markdown, lines }) => {
    const text = lines.join("\n");
    expect(show(markdown)).toEqual({ text, entities: [`pre: ${text}`] });
  });

  it.each(HALF_WRITTEN)("shows what is half-written: $name", ({ markdown, text, entities }) => {
    expect(show(markdown)).toEqual({ text, entities: entities ?? [] });
  });

  it.each(["", " \n\t ", "\u200B\u00A0", "\n\n\r\n"])("is empty if there is nothing to be seen: %j", (markdown) => {
    expect(formatMarkdown(markdown)).toEqual({ text: "", entities: [] });
  });

  it("leaves out what Telegram would take out, so that what is sent is what is stored", () => {
    expect(show("a\r\nb\u202Ec\u2028d\u0007e\u200E\u200Ff")).toEqual({ text: "a\nbcd e\u200C\u200Ff", entities: [] });
  });

  it("shows as it is what is nested deeper than anyone can read", () => {
    const markdown = `${">".repeat(20_000)} a`;
    expect(formatMarkdown(markdown).text).toContain("a");
    expect(formatMarkdown(`${"[".repeat(3_000)}a`).text).toContain("[a");
  });

  it("is never refused by Telegram, whatever the Markdown", () => {
    fc.assert(
      fc.property(markdownSoup, (markdown) => {
        expect(findFaults(formatMarkdown(markdown), WHOLE)).toEqual([]);
      }),
      { numRuns: 5_000 },
    );
  });

  it("is never refused by Telegram, wherever an answer stands", () => {
    for (const answer of ANSWERS) {
      for (let length = 0; length <= answer.length; length += 1) {
        const prefix = answer.slice(0, length);
        expect([prefix.slice(-40), findFaults(formatMarkdown(prefix), WHOLE)]).toEqual([prefix.slice(-40), []]);
      }
    }
  });

  it("loses no word", () => {
    const bits = fc.constantFrom(
      "**",
      "*",
      "_",
      "~~",
      "`",
      "\n",
      "\n\n",
      " ",
      "- ",
      "\n- ",
      "\n1. ",
      "> ",
      "# ",
      "[",
      "]",
      "(",
      "<",
      ">",
      "&",
      "\n---\n",
      "\n```\n",
      "\n    ",
    );
    const soup = fc.array(
      fc.oneof(
        bits,
        fc.nat(999).map((number) => `w${number}`),
      ),
      { maxLength: 80 },
    );
    fc.assert(
      fc.property(soup, (parts) => {
        const markdown = parts.join("");
        const words = markdown.match(/w\d+/gu);
        // An address and what is said of a fence are not shown.
        fc.pre(!markdown.includes("](") && !/(?:`{3}|~{3})[^\n]*w/u.test(markdown));
        expect(formatMarkdown(markdown).text.match(/w\d+/gu)).toEqual(words);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("Markdown of a text that grows", () => {
  it("is the same as if it had been there at once", () => {
    const cuts = fc.array(fc.nat(400), { maxLength: 12 });
    fc.assert(
      fc.property(markdownSoup, cuts, (markdown, lengths) => {
        const format = createMarkdownFormatter();
        for (const length of [...lengths.sort((one, other) => one - other), markdown.length]) {
          const prefix = markdown.slice(0, length);
          expect(format(prefix)).toEqual(formatMarkdown(prefix));
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it("is the same where an underline makes a heading of several lines that seemed to be blocks of their own", () => {
    const markdown = "one|\n*\n---\n\ntwo";
    const format = createMarkdownFormatter();
    for (let length = 0; length <= markdown.length; length += 1) {
      const prefix = markdown.slice(0, length);
      expect(format(prefix)).toEqual(formatMarkdown(prefix));
    }
  });

  it("is the same for answers that grow by a character, begin anew or shrink", () => {
    const format = createMarkdownFormatter();
    for (const answer of ANSWERS) {
      for (let length = 0; length <= answer.length; length += 1) {
        const prefix = answer.slice(0, length);
        expect(format(prefix)).toEqual(formatMarkdown(prefix));
      }
      const half = answer.slice(0, answer.length / 2);
      expect(format(half)).toEqual(formatMarkdown(half));
    }
  });
});
