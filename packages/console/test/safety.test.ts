import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { finish, reasoning, start, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { openScripted } from "../../gateway/test/support/scripted.ts";
import { chooseModel, endingOf, openBrowser, openTab, say } from "./support/browser.ts";

const browser = await openBrowser();
const gateway = await openScripted();
const { url } = gateway;
const model = "openai-chat/any-model";

const TRICKS = [
  "<script>globalThis.isTaken = true</script>",
  '<img src="https://elsewhere.example/pixel" onerror="globalThis.isTaken = true">',
  '<svg onload="globalThis.isTaken = true"></svg>',
  '<a href="javascript:globalThis.isTaken = true">here</a>',
  "[here](javascript:globalThis.isTaken=true) ![](https://elsewhere.example/pixel)",
  '<iframe srcdoc="<script>parent.isTaken = true</script>"></iframe>',
  "</div></main><style>* { display: none }</style>",
  "&lt;b&gt; &amp;amp; \u{202e}",
];

describe("what a model writes", () => {
  it.each(TRICKS)("stays text: %s", async (trick) => {
    const call = [
      { type: "tool-call-start", callId: "c1", name: trick },
      { type: "tool-call-delta", callId: "c1", json: JSON.stringify({ trick }) },
      { type: "tool-call-end", callId: "c1" },
    ] as const;
    const cited = { type: "citation", url: `javascript:${trick}`, title: trick, format: "openai-chat" } as const;
    gateway.script("openai-chat", [start(), reasoning(trick), text(trick), cited, ...call, finish("tool_calls")]);
    const { page, foreign, problems } = await openTab(browser, url);
    await chooseModel(page, model);
    await say(page, trick);
    await endingOf(page);
    expect(await page.locator(".prompt").textContent()).toBe(trick);
    expect(await page.locator(".answer-text").textContent()).toBe(trick);
    expect(await page.locator(".thinking-text").textContent()).toBe(trick);
    expect(await page.locator(".call-name").textContent()).toBe(trick);
    expect(await page.locator(".source-links").textContent()).toBe(trick);
    const made = page.locator(".turn").locator("script, img, svg, a, iframe, style, [onerror], [onload]");
    expect(await made.count()).toBe(0);
    expect(await page.evaluate(() => "isTaken" in globalThis)).toBe(false);
    expect(foreign).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("stays text in what is recorded, too", async () => {
    const { page, foreign } = await openTab(browser, url, "#/inspect");
    for (const trick of TRICKS) {
      const chunk = { choices: [{ index: 0, delta: { content: trick }, finish_reason: "stop" }] };
      await page.getByLabel("Recorded answer").fill(`data: ${JSON.stringify(chunk)}\n\n`);
      await expect.poll(() => page.locator(".timeline-text").textContent()).toBe(trick);
    }
    expect(await page.evaluate(() => "isTaken" in globalThis)).toBe(false);
    expect(foreign).toEqual([]);
  });

  it("is laid out in blocks when it is very long", async () => {
    const line = "All work and no play makes a very long answer. ".repeat(3);
    const pieces = Array.from({ length: 800 }, (_, index) => text(`${index} ${line}\n`));
    gateway.script("openai-chat", [start(), ...pieces, finish()]);
    const { page } = await openTab(browser, url);
    await chooseModel(page, model);
    await page.getByLabel("Stop when it repeats itself").uncheck();
    await say(page, "Go on");
    expect(await endingOf(page)).toBe("natural_completion");
    const whole = pieces.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
    expect(whole.length).toBeGreaterThan(100_000);
    expect(await page.locator(".answer-text").textContent()).toBe(whole);
    const longest = await page
      .locator(".answer-text .block")
      .evaluateAll((blocks) => Math.max(...blocks.map((block) => block.textContent.length)));
    expect(longest).toBeLessThan(10_000);
  });
});

describe("the files of the page", () => {
  const folder = path.resolve(import.meta.dirname, "../../gateway/dist/console");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });

  it("need at most 120 kB of compressed script at first", () => {
    const page = readFileSync(path.join(folder, "index.html"), "utf8");
    const first = [...page.matchAll(/(?:src|href)="\/(?<name>[^"]+\.js)"/gu)].map((match) => match.groups!["name"]!);
    expect(first.length).toBeGreaterThan(0);
    const size = first.reduce((sum, name) => sum + gzipSync(readFileSync(path.join(folder, name))).length, 0);
    expect(size).toBeLessThan(120_000);
  });

  it("never make elements of text", () => {
    const source = path.resolve(import.meta.dirname, "../src");
    const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/u.test(name));
    for (const name of files) {
      const code = readFileSync(path.join(source, name), "utf8");
      expect(`${name}: ${code}`).not.toMatch(
        /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write/u,
      );
    }
    expect(names.length).toBeGreaterThan(3);
  });
});
