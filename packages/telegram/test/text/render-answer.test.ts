import fc from "fast-check";
import type { Source } from "fullstop/control";
import { describe, expect, it } from "vitest";
import { MESSAGE_LIMIT } from "../../src/index.ts";
import { createAnswerRenderer, renderAnswer, type AnswerView } from "../../src/text/render-answer.ts";
import { THINKING_LIMIT } from "../../src/text/thinking.ts";
import { ANSWERS, TECHNICAL } from "../support/answers.ts";
import { markdownSoup } from "../support/markdown-soup.ts";
import { findFaults } from "../support/valid-entities.ts";

const view = (parts: Partial<AnswerView>): AnswerView => ({
  thinking: "",
  text: "",
  notes: [],
  mark: undefined,
  isRunning: true,
  placeholder: "…",
  ...parts,
});

const page = (name: string, link?: string): Source => ({ name, ...(link !== undefined && { link }), ends: [] });
const sources = (...list: readonly Source[]): NonNullable<AnswerView["sources"]> => ({
  heading: "Sources",
  sources: list,
});
const LINK = "https://a.example/";

/** An answer as it would be seen, with formatting in angle brackets. */
function show(parts: Partial<AnswerView>): readonly string[] {
  return renderAnswer(view(parts)).map(({ text, entities }) => {
    const inserts = entities.flatMap(({ type, offset, length }, index) => [
      { at: offset, order: index + 1, tag: `<${type}>` },
      { at: offset + length, order: -index - 1, tag: `</${type}>` },
    ]);
    let shown = text;
    for (const { at, tag } of inserts.sort((one, other) => other.at - one.at || other.order - one.order)) {
      shown = shown.slice(0, at) + tag + shown.slice(at);
    }
    return shown;
  });
}

const words = (count: number): string => Array.from({ length: count }, (_, index) => `w${index}`).join(" ");

describe("an answer as messages", () => {
  it.each<{ readonly name: string; readonly parts: Partial<AnswerView>; readonly messages: readonly string[] }>([
    { name: "the placeholder if there is nothing else", parts: {}, messages: ["…"] },
    {
      name: "the placeholder if nothing can be seen",
      parts: { text: " \n", thinking: "\u200B", notes: [" "], mark: "" },
      messages: ["…"],
    },
    { name: "nothing if there is not even that", parts: { placeholder: " " }, messages: [] },
    { name: "text", parts: { text: "a **b**" }, messages: ["a <bold>b</bold>"] },
    {
      name: "thinking alone",
      parts: { thinking: "*hm*" },
      messages: ["<expandable_blockquote>*hm*</expandable_blockquote>"],
    },
    {
      name: "thinking above text",
      parts: { thinking: "a\n\n\nb", text: "c" },
      messages: ["<expandable_blockquote>a\nb</expandable_blockquote>\nc"],
    },
    {
      name: "thinking above a quote",
      parts: { thinking: "a", text: "> b" },
      messages: ["<expandable_blockquote>a</expandable_blockquote>\n<blockquote>b</blockquote>"],
    },
    {
      name: "notes under text",
      parts: { text: "a", notes: ["b\nc", "d"] },
      messages: ["a\n\n<italic>b c\nd</italic>"],
    },
    { name: "notes alone", parts: { notes: ["**a**"] }, messages: ["<italic>**a**</italic>"] },
    {
      name: "a mark under text",
      parts: { text: "a", mark: "[interrupted]" },
      messages: ["a\n\n<italic>[interrupted]</italic>"],
    },
    {
      name: "a mark under code",
      parts: { text: "```\na", mark: "[b]" },
      messages: ["<pre>a</pre>\n\n<italic>[b]</italic>"],
    },
    { name: "a mark alone", parts: { mark: "[interrupted]" }, messages: ["<italic>[interrupted]</italic>"] },
    {
      name: "a mark under thinking",
      parts: { thinking: "a", mark: "[b]" },
      messages: ["<expandable_blockquote>a</expandable_blockquote>\n\n<italic>[b]</italic>"],
    },
    {
      name: "everything",
      parts: { thinking: "a", text: "b", notes: ["c"], mark: "[d]", sources: sources(page("e", LINK)) },
      messages: [
        "<expandable_blockquote>a</expandable_blockquote>\nb\n\n<italic>c</italic>\n\n<italic>[d]</italic>\n\nSources:\n1. <text_link>e</text_link>",
      ],
    },
    {
      name: "sources under text, as they are called and without any Markdown",
      parts: { text: "a", sources: sources(page("**b** <i>\u202E", LINK), page("c\uD800", LINK)) },
      messages: ["a\n\nSources:\n1. <text_link>**b** <i></text_link>\n2. <text_link>c\uFFFD</text_link>"],
    },
    {
      name: "the sources that are on the web",
      parts: { text: "a", sources: sources(page("b"), page("c", LINK)) },
      messages: ["a\n\nSources:\n1. <text_link>c</text_link>"],
    },
    {
      name: "the name of a source whose address Telegram would refuse",
      parts: { text: "a", sources: sources(page("b", "http://localhost:8080/")) },
      messages: ["a\n\nSources:\n1. b"],
    },
    {
      name: "nothing more where no source is on the web",
      parts: { text: "a", sources: sources(page("b")) },
      messages: ["a"],
    },
    {
      name: "no sources of nothing",
      parts: { mark: "[b]", sources: sources(page("c", LINK)) },
      messages: ["<italic>[b]</italic>"],
    },
  ])("is $name", ({ parts, messages }) => {
    expect(show(parts)).toEqual(messages);
  });

  it("shows the end of thinking while it goes on", () => {
    const [message] = renderAnswer(view({ thinking: words(1_000) }));
    expect(message?.text).toMatch(/^…w\d+ .* w999$/u);
    expect(message?.text.length).toBeGreaterThan(THINKING_LIMIT - 70);
    expect(message?.text.length).toBeLessThanOrEqual(THINKING_LIMIT);
  });

  it.each<{ readonly name: string; readonly parts: Partial<AnswerView> }>([
    { name: "it is done", parts: { isRunning: false } },
    { name: "text has begun", parts: { text: "a" } },
  ])("shows both ends of thinking when $name", ({ parts }) => {
    const [message] = renderAnswer(view({ thinking: words(1_000), ...parts }));
    const [thinking = ""] = /^w0 w1 .* w\d+\n…\nw\d+ .* w998 w999/u.exec(message?.text ?? "") ?? [];
    expect(message?.entities[0]).toEqual({ type: "expandable_blockquote", offset: 0, length: thinking.length });
    expect(thinking.length).toBeGreaterThan(THINKING_LIMIT - 140);
    expect(thinking.length).toBeLessThanOrEqual(THINKING_LIMIT);
  });

  it.each([true, false])("cuts thinking neither within a word nor within a character (running: %s)", (isRunning) => {
    for (let extra = 0; extra < 12; extra += 1) {
      const start = "x".repeat(extra);
      const [inWords] = renderAnswer(view({ thinking: `${start} ${"wonderful ".repeat(300)}`, isRunning }));
      expect(
        inWords?.text.split(/[\s…]+/u).filter((word) => word !== "" && word !== start && word !== "wonderful"),
      ).toEqual([]);
      const [inFamilies] = renderAnswer(view({ thinking: start + "👨‍👩‍👧‍👦".repeat(300), isRunning }));
      expect(inFamilies?.text).toMatch(/^x*(?:👨‍👩‍👧‍👦)*\n?…\n?(?:👨‍👩‍👧‍👦)+$/u);
    }
  });

  it("keeps the messages above where they are when thinking grows again", () => {
    const text = words(3_000);
    const before = renderAnswer(view({ thinking: "short", text }));
    const after = renderAnswer(view({ thinking: words(2_000), text, isRunning: false }));
    expect(before.length).toBe(after.length);
    expect(before.slice(1)).toEqual(after.slice(1));
  });

  it.each(["mark", "notes"] as const)("puts what does not fit into the last message into a new one: %s", (part) => {
    const text = "a".repeat(MESSAGE_LIMIT - 4);
    const small = renderAnswer(view({ text, ...(part === "mark" ? { mark: "[" } : { notes: ["["] }) }));
    expect(small.map((message) => message.text.length)).toEqual([MESSAGE_LIMIT - 1]);
    const large = renderAnswer(
      view({ text, ...(part === "mark" ? { mark: "[interrupted]" } : { notes: ["[interrupted]"] }) }),
    );
    expect(large.map((message) => message.text)).toEqual([text, "[interrupted]"]);
  });

  const many = Array.from({ length: 40 }, (_, index) => page(`n${index} `.padEnd(120, "x"), `${LINK}${index}`));

  it("has ten sources at most", () => {
    const [message] = renderAnswer(view({ text: "a", sources: sources(...many) }));
    const links = message?.entities.flatMap((entity) => (entity.type === "text_link" ? [entity.url] : []));
    expect(links).toEqual(many.slice(0, 10).map(({ link }) => link));
  });

  it.each([10, 2_000, 2_800, 3_000, 4_000, MESSAGE_LIMIT, 6_000, 9_000])(
    "keeps all of a text of %i characters, whatever its sources take",
    (length) => {
      const text = "word ".repeat(length / 5).trimEnd();
      const alone = renderAnswer(view({ text, mark: "[interrupted]" }));
      const messages = renderAnswer(view({ text, mark: "[interrupted]", sources: sources(...many) }));
      const added = "Sources:\n1. n0 x";
      const last = messages.at(-1)?.text ?? "";
      const lastAlone = alone.at(-1)?.text ?? "";
      // They stand in the last message, or in one of their own.
      const isJoined = messages.length === alone.length;
      expect(last.startsWith(isJoined ? `${lastAlone}\n\n${added}` : added)).toBe(true);
      expect(messages.slice(0, -1)).toEqual(isJoined ? alone.slice(0, -1) : alone);
      expect(messages.flatMap((message) => findFaults(message))).toEqual([]);
    },
  );

  it("puts sources into a new message where there is so much formatting that Telegram would forget the links", () => {
    const text = Array.from({ length: 94 }, (_, index) => `**b${index}** x`).join(" ");
    const messages = renderAnswer(view({ text, sources: sources(...many.slice(0, 8)) }));
    expect(messages.map(({ entities }) => entities.length)).toEqual([94, 8]);
    const fewer = renderAnswer(view({ text, sources: sources(...many.slice(0, 6)) }));
    expect(fewer.map(({ entities }) => entities.length)).toEqual([100]);
  });

  const anyView: fc.Arbitrary<AnswerView> = fc.record({
    thinking: fc.oneof(
      markdownSoup,
      markdownSoup.map((soup) => soup.repeat(40)),
    ),
    text: fc.oneof(
      markdownSoup,
      markdownSoup.map((soup) => soup.repeat(60)),
    ),
    notes: fc.array(markdownSoup, { maxLength: 3 }),
    mark: fc.option(fc.oneof(fc.constant("[interrupted]"), markdownSoup), { nil: undefined }),
    sources: fc
      .array(
        fc.record({
          name: fc.oneof(
            fc.constant("A page"),
            markdownSoup.map((soup) => `x${soup}`.slice(0, 120).replaceAll(/\s+/gu, " ")),
          ),
          link: fc.constantFrom(LINK, "http://localhost/", "https://b.example/?q=%22"),
          ends: fc.constant([]),
        }),
        { maxLength: 12 },
      )
      .map((list) => sources(...list)),
    isRunning: fc.boolean(),
    placeholder: fc.constantFrom("…", "", "Thinking…"),
  });

  it("is never refused by Telegram, whatever is in it", () => {
    fc.assert(
      fc.property(anyView, (answer) => {
        expect(renderAnswer(answer).flatMap((message) => findFaults(message))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("is never refused by Telegram, wherever a long answer stands", () => {
    const long = `${ANSWERS.join("\n\n")}\n\n${TECHNICAL}`;
    const render = createAnswerRenderer();
    for (let length = 0; length <= long.length; length += 3) {
      const answer = view({ thinking: long.slice(0, length / 3), text: long.slice(0, length), mark: "[interrupted]" });
      const messages = render(answer);
      expect([length, messages.flatMap((message) => findFaults(message))]).toEqual([length, []]);
      expect(messages).toEqual(renderAnswer(answer));
    }
  });
});
