import { describe, expect, it } from "vitest";
import { openGatewayForFile } from "../../gateway/test/support/gateway.ts";
import { endingOf, openBrowser, openTab, say, takePicture } from "./support/browser.ts";

const browser = await openBrowser();
const { url, house } = await openGatewayForFile({ models: { pip: { local: "pip", sequences: 4, threads: 1 } } });

describe("the playground with Pip", () => {
  it("shows what a newcomer can try", async () => {
    const { page, foreign, problems } = await openTab(browser, url);
    await page.getByRole("button", { name: "Count to 100" }).waitFor();
    await expect.poll(() => page.getByLabel("Model").inputValue()).toBe("pip");
    await takePicture(page, "playground-welcome");
    expect(foreign).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("answers a question, with its thinking put away, and says why it ended", async () => {
    const { page, problems } = await openTab(browser, url);
    await expect.poll(() => page.getByLabel("Model").inputValue()).toBe("pip");
    await say(page, "What is 312 + 230?");
    expect(await endingOf(page)).toBe("natural_completion");
    expect(await page.locator(".answer-text").textContent()).toContain("542");
    expect(await page.locator(".thinking").getAttribute("open")).toBeNull();
    await page.locator(".ending summary").click();
    expect(await page.locator(".ending-body").textContent()).toContain("natural_completion");
    await takePicture(page, "playground-answer");
    expect(problems).toEqual([]);
  });

  it("keeps the text of an answer that is stopped in the middle", async () => {
    const { page } = await openTab(browser, url);
    await page.getByRole("switch", { name: "none" }).count();
    await page.getByLabel("Let it think first").uncheck();
    await page.getByLabel("Stop when it repeats itself").uncheck();
    await expect.poll(() => page.getByLabel("Model").inputValue()).toBe("pip");
    await say(page, "Count from 1 to 100");
    await expect.poll(() => page.locator(".answer-text").textContent()).toContain("5");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    expect(await endingOf(page)).toBe("cancelled");
    const text = await page.locator(".answer-text").textContent();
    expect(text).toMatch(/^1.*5/su);
    expect(text).not.toContain("100");
    expect(house.generations.live()).toEqual([]);
  });
});
