import { describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { openGatewayForFile } from "../../gateway/test/support/gateway.ts";
import {
  chooseModel,
  endingOf,
  lastAnswer,
  openBrowser,
  openTab,
  say,
  takePicture,
  untilAnswerHas,
  whenReady,
} from "./support/browser.ts";

const browser = await openBrowser();
const { url, house } = await openGatewayForFile({ models: { pip: { local: "pip", sequences: 4, threads: 1 } } });

async function tryExample(page: Page, title: string): Promise<void> {
  await whenReady(page);
  await page.getByRole("button", { name: title }).click();
}

describe("the playground with Pip", () => {
  it("shows what a newcomer can try", async () => {
    const { page, foreign, problems } = await openTab(browser, url);
    await whenReady(page);
    await page.getByRole("button", { name: "Count to 100" }).waitFor();
    await takePicture(page, "playground-welcome");
    expect(foreign).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("answers a question, with its thinking put away, and says why it ended", async () => {
    const { page, foreign, problems } = await openTab(browser, url);
    await whenReady(page);
    await say(page, "What is 312 + 230?");
    expect(await endingOf(page)).toBe("natural_completion");
    expect(await page.locator(".answer-text").textContent()).toContain("542");
    expect(await page.locator(".thinking-text").isVisible()).toBe(false);
    await page.locator(".thinking summary").click();
    expect(await page.locator(".thinking-text").isVisible()).toBe(true);
    await page.locator(".ending summary").click();
    const facts = await page.locator(".ending-body").textContent();
    expect(facts).toContain("natural_completion");
    expect(facts).toContain("eos_token_id");
    await takePicture(page, "playground-answer");
    expect(foreign).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("keeps the text of an answer that is stopped in the middle", async () => {
    const { page } = await openTab(browser, url);
    await tryExample(page, "Count to 100");
    await untilAnswerHas(page, "5");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    expect(await endingOf(page)).toBe("cancelled");
    const text = await lastAnswer(page);
    expect(text).toMatch(/^1\b.*5/su);
    expect(text).not.toContain("100");
    expect(house.generations.live()).toEqual([]);
  });

  it("stops by Escape, goes on with Continue, and starts over with Regenerate", async () => {
    const { page } = await openTab(browser, url);
    await tryExample(page, "Count to 100");
    await untilAnswerHas(page, "5");
    await page.keyboard.press("Escape");
    expect(await endingOf(page)).toBe("cancelled");
    await page.getByRole("button", { name: "Continue" }).click();
    expect(await page.locator(".turn").count()).toBe(2);
    await endingOf(page);
    expect(await lastAnswer(page)).not.toBe("");
    await page.getByRole("button", { name: "Regenerate" }).click();
    await endingOf(page);
    expect(await page.locator(".turn").count()).toBe(2);
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByRole("button", { name: "Count to 100" }).waitFor();
  });

  it("skips thinking that would go on for ever, and an answer follows", async () => {
    const { page } = await openTab(browser, url);
    await tryExample(page, "Think forever");
    const skip = page.getByRole("button", { name: "Skip thinking" });
    await skip.waitFor();
    await takePicture(page, "playground-thinking");
    await skip.click();
    await expect.poll(() => lastAnswer(page)).not.toBe("");
    await page.keyboard.press("Escape");
    await endingOf(page);
    expect(await page.locator(".thinking summary").first().textContent()).toContain("skipped");
    await page.locator(".ending summary").click();
    expect(await page.locator(".ending-body").textContent()).toContain("was skipped");
  });

  it("ends an answer that repeats itself", async () => {
    const { page } = await openTab(browser, url);
    await tryExample(page, "Say it again and again");
    expect(await endingOf(page)).toBe("repetition_detected");
    expect(await lastAnswer(page)).toContain("circles");
  });

  it("ends at a stop string, and shows what it has removed to those who want to see it", async () => {
    const { page } = await openTab(browser, url);
    await tryExample(page, "Answer in tags");
    expect(await endingOf(page)).toBe("stop_sequence");
    const text = await page.locator(".answer-text").textContent();
    expect(text).toMatch(/<answer>394$/u);
    expect(await page.locator(".ending-match").textContent()).toBe("</answer>");
    expect(await page.locator(".removed del").isVisible()).toBe(false);
    await page.locator(".removed summary").click();
    expect(await page.locator(".removed del").textContent()).toBe("</answer>");
    await page.getByText("The same request as code").click();
    await takePicture(page, "playground-stop-string");
  });

  it("shows a tool call as a card, and takes its result", async () => {
    const { page } = await openTab(browser, url);
    await tryExample(page, "Use a tool");
    expect(await endingOf(page)).toBe("tool_calls");
    const card = page.getByRole("region", { name: "Call of get_weather" });
    expect(await card.textContent()).toContain("Oslo");
    expect(await card.textContent()).toContain("complete");
    await takePicture(page, "playground-tool");
    await page.getByRole("button", { name: "Send the result" }).click();
    await expect.poll(() => page.locator(".turn").count()).toBe(2);
    await endingOf(page);
    expect(await lastAnswer(page)).toContain("Oslo");
  });

  it("takes stop strings as chips, and holds limits", async () => {
    const { page } = await openTab(browser, url);
    await whenReady(page);
    await page.getByLabel("Stop strings").fill("7");
    await page.getByLabel("Stop strings").press("Enter");
    await page.getByLabel("Stop strings").fill("never said");
    await page.getByLabel("Stop strings").press("Enter");
    await page.getByRole("button", { name: "Remove never said" }).click();
    expect(await page.locator(".chip").allTextContents()).toEqual(["7×"]);
    await page.getByLabel("Let it think first").uncheck();
    await say(page, "Count from 1 to 20");
    expect(await endingOf(page)).toBe("stop_sequence");
    await page.getByRole("button", { name: "Remove 7" }).click();
    await page.getByLabel("Tokens").fill("5");
    await say(page, "Count from 1 to 20");
    expect(await endingOf(page)).toBe("token_limit_reached");
    expect(await page.locator(".answer-end").last().textContent()).toContain("5 out");
  });

  it("says what was wrong with a request", async () => {
    const { page } = await openTab(browser, url);
    await whenReady(page);
    await chooseModel(page, "no-such-model");
    await say(page, "Hello");
    const note = page.getByRole("alert");
    await note.waitFor();
    expect(await note.textContent()).toContain("no-such-model");
  });

  it("works on a phone, and in the dark", async () => {
    const options = { viewport: { width: 390, height: 780 }, colorScheme: "dark" } as const;
    const { page } = await openTab(browser, url, "", options);
    await page.getByText("When to stop").click();
    await whenReady(page);
    await page.getByText("When to stop").click();
    await page.getByRole("button", { name: "Answer in tags" }).click();
    expect(await endingOf(page)).toBe("stop_sequence");
    await takePicture(page, "playground-phone");
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
  });
});
