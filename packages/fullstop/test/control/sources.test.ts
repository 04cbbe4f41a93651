import type { CitationEvent, GenerationEvent } from "fullstop";
import { describe, expect, it } from "vitest";
import { SourceList } from "../../src/control/sources.ts";
import { finish, reasoning, text } from "../../src/testing/events.ts";

const cite = (parts: Omit<CitationEvent, "type" | "format">): CitationEvent => ({
  type: "citation",
  format: "openai-chat",
  ...parts,
});

function sourcesOf(...events: readonly GenerationEvent[]): SourceList["sources"] {
  const list = new SourceList();
  for (const event of events) list.add(event);
  return list.sources;
}

const A = "https://a.example/page";
const B = "https://b.example/";
const C = "https://c.example/";

describe("the sources of an answer", () => {
  it("are each there once, in the order in which they are first cited, with all their places", () => {
    const found = sourcesOf(
      text("One. Two. Three."),
      cite({ url: B, title: "B", start: 0, end: 4 }),
      reasoning("Hm."),
      cite({ url: A, title: "A", start: 5, end: 9 }),
      cite({ url: B, title: "B again", start: 10, end: 16 }),
      cite({ url: B, start: 10, end: 16 }),
      finish(),
    );
    expect(found).toEqual([
      { name: "B", title: "B", url: B, link: B, ends: [4, 16] },
      { name: "A", title: "A", url: A, link: A, ends: [9] },
    ]);
  });

  it("leave out what only its own dialect understands", () => {
    expect(sourcesOf(text("Hi"), cite({ value: { groundingChunks: [] } }), cite({ start: 0, end: 2 }))).toEqual([]);
  });

  it("take the title and the words that come later", () => {
    expect(sourcesOf(text("Hi"), cite({ url: A }), cite({ url: A, title: "A", quote: "Hi" }))).toEqual([
      { name: "A", title: "A", url: A, link: A, quote: "Hi", ends: [] },
    ]);
  });

  it("are apart without an address by their titles, and without one by their words", () => {
    const citations = [
      { title: "x" },
      { title: "y", quote: "x" },
      { title: "x", quote: "z" },
      { quote: "x" },
      { quote: "y" },
    ];
    const found = sourcesOf(text("Hi"), ...citations.map((parts) => cite(parts)), cite({ quote: "x" }));
    expect(found.map(({ name }) => name)).toEqual(["x", "y", "“x”", "“y”"]);
  });

  it.each([
    { url: A, name: "a.example", link: A },
    { url: "HTTP://B.example:8080", name: "b.example:8080", link: "http://b.example:8080/" },
    { url: "https://bücher.example/ä", name: "xn--bcher-kva.example", link: "https://xn--bcher-kva.example/%C3%A4" },
    { url: "https://a.example@evil.example/", name: "evil.example", link: "https://a.example@evil.example/" },
    { url: "javascript:alert(1)", name: "javascript:alert(1)", link: undefined },
    { url: " \u0001javascript:alert(1)", name: "\u0001javascript:alert(1)", link: undefined },
    { url: "data:text/html,<script>1</script>", name: "data:text/html,<script>1</script>", link: undefined },
    { url: "file:///etc/passwd", name: "file:///etc/passwd", link: undefined },
    { url: "/notes.txt", name: "/notes.txt", link: undefined },
    { url: "javascript:alert(1)", title: "Fine", name: "Fine", link: undefined },
    { url: A, title: A, name: "a.example", link: A },
    { url: A, title: " \u200B\n", name: "a.example", link: A },
    { url: A, title: "Two\n  lines\t", name: "Two lines", link: A },
    { url: A, title: "x".repeat(1_000_000), name: `${"x".repeat(119)}…`, link: A },
    { url: A, title: `${"x".repeat(118)}🙂🙂`, name: `${"x".repeat(118)}…`, link: A },
    { title: "\u200B", name: "?", link: undefined },
  ])("of $url with the title $title are called $name and lead to $link", ({ name, link, ...parts }) => {
    expect(sourcesOf(text("Hi"), cite(parts)).map((source) => [source.name, source.link])).toEqual([[name, link]]);
  });

  it("are there when their text is, and not if it is cut off before", () => {
    const list = new SourceList();
    list.add(text("One. "));
    list.add(cite({ url: A, start: 5, end: 9 }));
    list.add(cite({ url: B }));
    expect(list.sources.map(({ link }) => link)).toEqual([B]);
    list.add(text("Tw"));
    expect(list.sources.map(({ link, ends }) => [link, ends])).toEqual([
      [A, [7]],
      [B, []],
    ]);
  });

  it.each([
    { keep: 16, links: [C, A, B] },
    { keep: 15, links: [C, A] },
    { keep: 9, links: [C, A] },
    { keep: 8, links: [C] },
    { keep: 0, links: [] },
  ])("go with the text that is taken back but for $keep characters", ({ keep, links }) => {
    const list = new SourceList();
    list.add(cite({ url: C }));
    list.add(text("One. Two. Three."));
    list.add(cite({ url: A, start: 5, end: 9 }));
    list.add(cite({ url: B, start: 10, end: 16 }));
    list.rewind(keep);
    expect(list.sources.map(({ link }) => link)).toEqual(links);
  });

  it("are none of text that was cut off, also when another answer has begun below", () => {
    const list = new SourceList();
    list.add(text("One."));
    list.add(cite({ url: A, start: 0, end: 9 }));
    list.add(cite({ url: B, start: 5, end: 9 }));
    list.startAnswer();
    list.add(text("Another one."));
    expect(list.sources.map(({ link, ends }) => [link, ends])).toEqual([[A, [4]]]);
  });

  it("stay when another answer begins below, whose places are its own", () => {
    const list = new SourceList();
    list.add(text("Let me look."));
    list.add(cite({ url: A, start: 0, end: 6 }));
    list.startAnswer();
    list.add(text("Here."));
    list.add(cite({ url: B, start: 0, end: 5 }));
    expect(list.sources.map(({ link, ends }) => [link, ends])).toEqual([
      [A, [6]],
      [B, [17]],
    ]);
    list.rewind(0);
    expect(list.sources.map(({ link }) => link)).toEqual([A]);
  });
});
