import fc from "fast-check";
import type { CitationEvent, GenerationEvent } from "fullstop";
import { call, createGate, createScriptedEngine, finish, reasoning, start, text } from "fullstop/testing";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { citedChat } from "../../gateway/test/support/answers.ts";
import { openScripted } from "../../gateway/test/support/scripted.ts";
import { Answer } from "../src/answer/fold.ts";
import { cutAtMarks, marksOf } from "../src/answer/marks.ts";
import { chooseModel, endingOf, lastAnswer, openBrowser, openTab, say, takePicture } from "./support/browser.ts";

const browser = await openBrowser();
const gateway = await openScripted();

const cite = (parts: Omit<CitationEvent, "type" | "format">): CitationEvent => ({
  type: "citation",
  format: "openai-chat",
  ...parts,
});

const CRANES = "https://birds.example/crane";
const DANCE = "https://dance.example/";
const TEXT = "Cranes sleep standing. They dance, too.\nAnd more.";
const CITED: readonly GenerationEvent[] = [
  text(TEXT),
  cite({ url: CRANES, title: "Cranes <b>", start: 0, end: 22 }),
  cite({ url: DANCE, start: 23, end: 39 }),
  cite({ url: CRANES, title: "Cranes <b>", start: 23, end: 39 }),
  cite({ url: "javascript:globalThis.isTaken=true", title: "Trick", start: 40, end: 49 }),
  // A document has a name and no address.
  cite({ value: { type: "file_citation", filename: "notes.txt" } }),
];
const MARKED = "Cranes sleep standing.[1] They dance, too.[1][2]\nAnd more.[3]";
const NAMES = ["Cranes <b>", "dance.example", "Trick", "notes.txt"];

/** The links of a page, as they would be followed. */
async function linksIn(page: Page): Promise<readonly object[]> {
  return page
    .locator(".source-links a")
    .evaluateAll((links) => links.map((link) => ["href", "rel", "target"].map((name) => link.getAttribute(name))));
}

const LINKS = [
  [CRANES, "noreferrer noopener nofollow", "_blank"],
  [DANCE, "noreferrer noopener nofollow", "_blank"],
];

describe("the numbers of sources in a text", () => {
  it("stand where what is quoted ends, in the order of their places", () => {
    const answer = new Answer();
    for (const event of [...CITED, finish()]) answer.add(event);
    expect(marksOf(answer.sources)).toEqual([
      { place: 22, label: "[1]" },
      { place: 39, label: "[1][2]" },
      { place: 49, label: "[3]" },
    ]);
  });

  it.each([
    { name: "in the middle", words: "ab cd", start: 0, places: [2], shown: "ab[2] cd" },
    { name: "at the end", words: "ab", start: 0, places: [2], shown: "ab[2]" },
    { name: "at the end of the stretch before, and not here", words: "ab", start: 2, places: [2], shown: "ab" },
    { name: "in a later stretch", words: "ab cd", start: 10, places: [4, 12, 16], shown: "ab[12] cd" },
    { name: "on the line of what is quoted", words: "ab \n\ncd", start: 0, places: [5], shown: "ab[5] \n\ncd" },
    { name: "behind nothing but white space", words: " \nab", start: 0, places: [2], shown: "[2] \nab" },
    { name: "not within a character", words: "a🙂b", start: 0, places: [2], shown: "a🙂[2]b" },
    { name: "several of them", words: "a b c", start: 0, places: [1, 2, 3], shown: "a[1][2] b[3] c" },
  ])("stand $name", ({ words, start: from, places, shown }) => {
    const marks = places.map((place) => ({ place, label: `[${place}]` }));
    const pieces = cutAtMarks(words, from, marks);
    expect(pieces.map((piece) => piece.text + (piece.mark?.label ?? "")).join("")).toBe(shown);
  });

  it("change nothing in the text, and none is lost, however it is cut into blocks", () => {
    const words = fc.array(fc.oneof(fc.string({ maxLength: 9 }), fc.constantFrom("\n", "🙂", "word ".repeat(500))));
    const places = fc.array(fc.integer({ min: 1, max: 3000 }), { maxLength: 9 });
    fc.assert(
      fc.property(words, places, (pieces, ends) => {
        const answer = new Answer();
        for (const piece of pieces) answer.add(text(piece));
        const { length } = answer.text;
        for (const end of ends) answer.add(cite({ url: DANCE, start: end - 1, end }));
        const marks = marksOf(answer.sources);
        const [part] = answer.parts;
        if (part?.type !== "text") return;
        let from = part.start;
        const cut = part.blocks.flatMap((block) => {
          from += block.length;
          return cutAtMarks(block, from - block.length, marks);
        });
        expect(cut.map((piece) => piece.text).join("")).toBe(answer.text);
        const placed = cut.flatMap(({ mark }) => (mark === undefined ? [] : [mark.place]));
        expect(placed).toEqual([...new Set(ends.filter((end) => end <= length))].sort((one, other) => one - other));
      }),
      { numRuns: 200 },
    );
  });

  it("count the text alone, whatever comes between", () => {
    const answer = new Answer();
    const events = [
      text("One."),
      reasoning("Hm."),
      ...call("c1", "look"),
      text(" Two."),
      cite({ url: DANCE, start: 5, end: 9 }),
    ];
    for (const event of events) answer.add(event);
    const starts = answer.parts.flatMap((part) => (part.type === "text" ? [part.start] : []));
    expect(starts).toEqual([0, 4]);
    expect(cutAtMarks(" Two.", 4, marksOf(answer.sources))[0]?.text).toBe(" Two.");
  });
});

describe("an answer that quotes something", () => {
  it("leaves what is held back on the screen when a citation comes", () => {
    const answer = new Answer();
    answer.add(text("One."));
    answer.held = " Tw";
    answer.add(cite({ url: DANCE, start: 5, end: 9 }));
    expect([answer.held, answer.sources]).toEqual([" Tw", []]);
    answer.add(text(" Two."));
    expect([answer.held, answer.sources.length]).toEqual(["", 1]);
  });

  it("has its sources below it, links where they are on the web, and nothing else", async () => {
    gateway.script("openai-chat", [start(), ...CITED, finish()]);
    const { page, foreign, problems } = await openTab(browser, gateway.url);
    await chooseModel(page, "openai-chat/any-model");
    await say(page, "What do cranes do?");
    await endingOf(page);
    const list = page.getByRole("region", { name: "Sources" });
    const look = async (): Promise<void> => {
      await expect.poll(() => list.locator("li").allTextContents()).toEqual(NAMES);
      expect(await linksIn(page)).toEqual(LINKS);
      expect(await lastAnswer(page)).toBe(MARKED);
    };
    await look();
    await takePicture(page, "playground-sources");
    await list.getByText("Trick").click();
    expect(await page.evaluate(() => "isTaken" in globalThis)).toBe(false);
    // What is kept of a conversation is read again by its id.
    await page.reload();
    await endingOf(page);
    await look();
    expect(foreign).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("is copied, and goes on, as it was written", async () => {
    gateway.script("openai-chat", [start(), ...CITED, finish()]);
    const { page } = await openTab(browser, gateway.url, "", { permissions: ["clipboard-read", "clipboard-write"] });
    await chooseModel(page, "openai-chat/any-model");
    await say(page, "What do cranes do?");
    await endingOf(page);
    await page.getByRole("button", { name: "Copy the answer" }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(TEXT);
    const selected = await page.locator(".answer-text").evaluate((element) => {
      getSelection()!.selectAllChildren(element);
      return getSelection()!.toString();
    });
    expect(selected).toBe(TEXT);
    await say(page, "Go on");
    await endingOf(page);
    const { messages } = gateway.upstreams["openai-chat"].requests.at(-1)!.request;
    expect(messages.at(1)).toEqual({ role: "assistant", content: [{ type: "text", text: TEXT }] });
  });

  it("shows them while it runs, to whoever looks on", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), ...CITED, gate.pass, finish()]]);
    const generation = gateway.house.generations.start({
      id: "cited",
      owner: "alice",
      request: { model: "m", messages: [] },
      settings: { rules: {}, onDisconnect: "continue" },
      targets: [{ engine, model: "m", provider: "p", appliesRules: false }],
    });
    const { page } = await openTab(browser, gateway.url, "#/live");
    await page.locator('tr[data-id="cited"] a').first().click();
    const said = page.getByRole("region", { name: "What it said" });
    await expect.poll(() => said.locator(".source-links li").allTextContents()).toEqual(NAMES.slice(0, 3));
    expect(await linksIn(page)).toEqual(LINKS);
    expect(await said.locator(".timeline-text").textContent()).toBe(MARKED);
    expect(await said.textContent()).toContain("It has not ended.");
    gate.open();
    await generation.ended;
  });

  it("is taken apart with them where it is recorded", async () => {
    const { page } = await openTab(browser, gateway.url, "#/inspect");
    await page.getByLabel("Recorded answer").fill(citedChat);
    const said = page.getByRole("region", { name: "What the recording says" });
    await expect.poll(() => said.locator(".source-links li").count()).toBe(3);
    expect(await linksIn(page)).toEqual(LINKS);
    expect(await said.locator(".timeline-text").textContent()).toBe(
      "Cranes sleep standing.[1] They dance, too.[1][2][3]",
    );
  });
});
