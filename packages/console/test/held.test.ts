import { createGate, finish, start, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { openScripted } from "../../gateway/test/support/scripted.ts";
import { chooseModel, endingOf, openBrowser, openTab, say, takePicture } from "./support/browser.ts";

const browser = await openBrowser();
const gateway = await openScripted();

describe("text that could become a stop string", () => {
  it.each([
    { rest: "er nothing.", reason: "natural_completion", answer: "It is 4</answer nothing." },
    { rest: "er> and more", reason: "stop_sequence", answer: "It is 4" },
  ])("is shown faintly until it is decided: $reason", async ({ rest, reason, answer }) => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("It is 4</answ"), gate.pass, text(rest), finish()]);
    const { page } = await openTab(browser, gateway.url);
    await chooseModel(page, "openai-chat/any-model");
    await page.getByLabel("Stop strings").fill("</answer>");
    await page.getByLabel("Stop strings").press("Enter");
    await say(page, "What is 2 + 2?");
    await expect.poll(() => page.locator(".held").allTextContents()).toEqual(["</answ"]);
    await takePicture(page, "playground-held");
    gate.open();
    expect(await endingOf(page)).toBe(reason);
    expect(await page.locator(".held").count()).toBe(0);
    expect(await page.locator(".answer-text").textContent()).toBe(answer);
  });
});
