import { call, finish, start, text } from "fullstop/testing";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openScripted } from "../../gateway/test/support/scripted.ts";
import { chooseModel, endingOf, openBrowser, openTab, say } from "./support/browser.ts";

const browser = await openBrowser();
const gateway = await openScripted();
const { requests } = gateway.upstreams["openai-chat"];

/** Asks something that a model answers with calls of two tools. */
async function askForCalls(): Promise<Page> {
  const calls = [...call("c1", "look", { at: "sky" }), ...call("c2", "listen", { to: "sea" })];
  gateway.script("openai-chat", [start(), text("One moment."), ...calls, finish("tool_calls")]);
  const { page } = await openTab(browser, gateway.url);
  await chooseModel(page, "openai-chat/any-model");
  await say(page, "What is it like?");
  expect(await endingOf(page)).toBe("tool_calls");
  gateway.script("openai-chat", [start(), text("I see."), finish()]);
  return page;
}

describe("an answer that calls tools", () => {
  it("takes a result for each of them", async () => {
    const page = await askForCalls();
    expect(await page.getByRole("button", { name: "Continue" }).count()).toBe(0);
    await page.getByLabel("What look gives back").fill("blue");
    await page.getByLabel("What listen gives back").fill("waves");
    await page.getByRole("button", { name: "Send the results" }).click();
    await expect.poll(() => page.locator(".turn").count()).toBe(2);
    expect(await endingOf(page)).toBe("natural_completion");
    const { body } = requests.at(-1)!;
    expect(body["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", tool_calls: [{ id: "c1" }, { id: "c2" }] },
      { role: "tool", tool_call_id: "c1", content: "blue" },
      { role: "tool", tool_call_id: "c2", content: "waves" },
    ]);
  });

  it("is told without its calls when somebody asks something else", async () => {
    const page = await askForCalls();
    await say(page, "Never mind. How are you?");
    await expect.poll(() => page.locator(".turn").count()).toBe(2);
    await endingOf(page);
    const { body } = requests.at(-1)!;
    expect(body["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "One moment." },
      { role: "user", content: "Never mind. How are you?" },
    ]);
    expect(JSON.stringify(body["messages"])).not.toContain("tool_calls");
  });
});
