import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { call, createGate, createScriptedEngine, finish, reasoning, start, text, usage } from "fullstop/testing";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hashOf, openGatewayForFile, post } from "../../gateway/test/support/gateway.ts";
import { openScripted } from "../../gateway/test/support/scripted.ts";
import { chooseModel, endingOf, openBrowser, openTab, say, takePicture } from "./support/browser.ts";

const browser = await openBrowser();
const gateway = await openScripted();
const locked = await openGatewayForFile({ keys: [{ name: "alice", sha256: hashOf("quiet") }] });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What keeps people out of a page, if it is serious. */
async function seriousProblems(page: Page): Promise<readonly string[]> {
  // Evaluated by the browser's tools, which the content security policy of the page does not hold back.
  await page.evaluate(axe);
  const { violations } = await page.evaluate<AxeResults>("axe.run()");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

const SCHEMES = ["light", "dark"] as const;

describe.each(SCHEMES)("in %s colours, nothing keeps people out of", (colorScheme) => {
  const options = { colorScheme };

  it("the playground", async () => {
    gateway.script("openai-chat", [
      start(),
      reasoning("Hmm"),
      text("Yes."),
      { type: "citation", start: 0, end: 4, url: "https://a.example/", format: "openai-chat" },
      ...call("c1", "look", { at: "it" }),
      usage(3, 4),
      finish("tool_calls"),
    ]);
    const { page } = await openTab(browser, gateway.url, "", options);
    await page.getByRole("button", { name: "Count to 100" }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await chooseModel(page, "openai-chat/any-model");
    await page.getByLabel("Stop strings").fill("</answer>");
    await page.getByLabel("Stop strings").press("Enter");
    await say(page, "Well?");
    await endingOf(page);
    await page.locator(".ending summary").click();
    await page.locator(".thinking summary").click();
    await page.getByText("The same request as code").click();
    expect(await seriousProblems(page)).toEqual([]);
    await takePicture(page, `playground-open-${colorScheme}`);
    const error = { error: { message: "The model fell asleep", type: "server_error" } };
    gateway.script("openai-chat", [start(), text("Half"), { raw: `data: ${JSON.stringify(error)}\n\n` }]);
    await page.getByLabel("Tokens").fill("0");
    await say(page, "A long question. ".repeat(100));
    await page.locator(".failure").waitFor();
    expect(await seriousProblems(page)).toEqual([]);
  });

  it("the live page", async () => {
    const { page } = await openTab(browser, gateway.url, "#/live", options);
    await page.getByText("Nothing runs.").waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    const engine = createScriptedEngine(() => [reasoning("Let me see"), createGate().pass, finish()]);
    const generation = gateway.house.generations.start({
      id: `live-${colorScheme}`,
      owner: "alice",
      request: { model: "m", messages: [] },
      settings: { rules: {}, onDisconnect: "continue" },
      targets: [{ engine, model: "m", provider: "p", appliesRules: false }],
    });
    await page.getByRole("button", { name: "Skip thinking" }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    generation.stop("user");
    await generation.ended;
  });

  it("the history page", async () => {
    const { page } = await openTab(browser, gateway.url, "#/history", options);
    await page.locator("tbody tr").first().waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await takePicture(page, `history-${colorScheme}`);
    await page.locator("tbody a").first().click();
    await page.getByRole("region", { name: "What it said" }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
  });

  it("the inspect page", async () => {
    const { page } = await openTab(browser, gateway.url, "#/inspect", options);
    await page.getByRole("button", { name: "Try an example" }).click();
    await page.locator(".events summary").click();
    expect(await seriousProblems(page)).toEqual([]);
  });

  it("the question for the key", async () => {
    const { page } = await openTab(browser, locked.url, "", options);
    await page.getByLabel("Your key").waitFor();
    expect(await seriousProblems(page)).toEqual([]);
  });
});

describe("in colours of the reader's own", () => {
  it("says which bars of a plot are meant", async () => {
    gateway.script("openai-chat", [start(), text("Yes."), finish()]);
    const body = { model: "openai-chat/any-model", messages: [{ role: "user", content: "?" }] };
    await post(`${gateway.url}/v1/chat/completions`, body);
    const { page } = await openTab(browser, gateway.url, "#/history", { forcedColors: "active" });
    const swatch = page.locator(".swatch").first();
    await swatch.waitFor();
    const { shown, meant } = await swatch.evaluate((mark) => ({
      shown: getComputedStyle(mark).backgroundColor,
      meant: (mark as HTMLElement).style.background,
    }));
    expect(shown).toBe(meant);
  });
});

describe("by keyboard alone", () => {
  it("somebody talks to a model, stops it, and goes to another page", async () => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("On and on"), gate.pass, finish()]);
    const { page } = await openTab(browser, gateway.url);
    await chooseModel(page, "openai-chat/any-model");
    await page.getByLabel("Message").focus();
    await page.keyboard.type("Go");
    await page.keyboard.press("Enter");
    await page.getByText("On and on").first().waitFor();
    await expect.poll(() => page.locator("p[role=status]").textContent()).toBe("Answering");
    await page.keyboard.press("Escape");
    expect(await endingOf(page)).toBe("cancelled");
    await expect.poll(() => page.locator("p[role=status]").textContent()).toContain("Stopped. On and on");
    await page.getByRole("link", { name: "Inspect" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Recorded answer").waitFor();
    expect(await page.title()).toBe("Inspect · fullstop");
  });
});
