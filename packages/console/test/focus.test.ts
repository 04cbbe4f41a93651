import { createGate, createScriptedEngine, finish, reasoning, start, text } from "fullstop/testing";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hashOf, openGatewayForFile } from "../../gateway/test/support/gateway.ts";
import { openScripted } from "../../gateway/test/support/scripted.ts";
import { chooseModel, endingOf, openBrowser, openTab, say } from "./support/browser.ts";

const browser = await openBrowser();
const gateway = await openScripted();
const locked = await openGatewayForFile({ keys: [{ name: "alice", sha256: hashOf("quiet") }] });

/** What has the focus: an id, or else a text. Nothing has it where the page begins at its top again. */
function focusOf(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) return "nothing";
    return activeElement.id === "" ? (activeElement.textContent ?? "") : activeElement.id;
  });
}

/** Has so many generations end, one after the other. */
async function endMany(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const generation = gateway.house.generations.start({
      id: `ended-${index}`,
      owner: "alice",
      request: { model: "m", messages: [] },
      settings: { rules: {}, onDisconnect: "continue" },
      targets: [
        {
          engine: createScriptedEngine(() => [text("Yes."), finish()]),
          model: "m",
          provider: "p",
          appliesRules: false,
        },
      ],
    });
    await generation.ended;
  }
}

describe("the focus is not lost", () => {
  it("when thinking is skipped in the playground", async () => {
    const gate = createGate();
    let asked = 0;
    gateway.script("openai-chat", () =>
      (asked += 1) === 1 ? [start(), reasoning("Hmm"), gate.pass, finish()] : [start(), text("Yes."), finish()],
    );
    const { page } = await openTab(browser, gateway.url);
    await chooseModel(page, "openai-chat/any-model");
    await say(page, "Well?");
    await page.getByRole("button", { name: "Skip thinking" }).press("Enter");
    await endingOf(page);
    expect(await focusOf(page)).toBe("prompt");
  });

  it("when thinking is skipped on the live page, which does not say that the answer is stopped", async () => {
    const { page } = await openTab(browser, gateway.url, "#/live");
    const engine = createScriptedEngine(({ reasoning: wanted }) => [
      wanted?.effort === "none" ? text("Yes.") : reasoning("Let me see"),
      createGate().pass,
      finish(),
    ]);
    const generation = gateway.house.generations.start({
      id: "thinker",
      owner: "alice",
      request: { model: "m", messages: [] },
      settings: { rules: {}, onDisconnect: "continue" },
      targets: [{ engine, model: "m", provider: "p", appliesRules: false }],
    });
    await page.getByRole("button", { name: "Skip thinking" }).press("Enter");
    await page.getByText("m of alice: thinking skipped").waitFor();
    await page.locator('tr[data-id="thinker"]').getByText("answering").waitFor();
    expect(await focusOf(page)).toBe("main");
    generation.stop("user");
    await generation.ended;
  });

  it("when a generation is opened, and left again", async () => {
    await endMany(1);
    const { page } = await openTab(browser, gateway.url, "#/history");
    await page.locator("tbody a").first().press("Enter");
    await page.getByRole("region", { name: "What it said" }).waitFor();
    expect(await focusOf(page)).toBe("main");
    await page.getByRole("link", { name: "← History" }).press("Enter");
    await page.locator("tbody a").first().waitFor();
    expect(await focusOf(page)).toBe("main");
    await page.getByRole("link", { name: "Inspect" }).press("Enter");
    await page.getByLabel("Recorded answer").waitFor();
    expect(await focusOf(page)).toBe("Inspect");
  });

  it("when the history is read again, and to its end", async () => {
    await endMany(501);
    const { page } = await openTab(browser, gateway.url, "#/history");
    const older = page.getByRole("button", { name: "Read older ones" });
    await older.waitFor();
    await page.getByRole("button", { name: "Refresh" }).press("Enter");
    await expect.poll(() => older.getAttribute("aria-disabled")).toBe("false");
    expect(await focusOf(page)).toBe("Refresh");
    await older.press("Enter");
    await older.waitFor({ state: "detached" });
    expect(await focusOf(page)).toBe("main");
  });

  it("when a key lets somebody in", async () => {
    const { page } = await openTab(browser, locked.url);
    await page.getByLabel("Your key").fill("quiet");
    await page.keyboard.press("Enter");
    await page.getByLabel("Message").waitFor();
    expect(await focusOf(page)).toBe("main");
  });
});
