import { createGate, finish, reasoning, start, text } from "fullstop/testing";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openScripted } from "../../gateway/test/support/scripted.ts";
import type { Reply } from "../../gateway/test/support/upstream.ts";
import { chooseModel, endingOf, openBrowser, openTab, say } from "./support/browser.ts";

const browser = await openBrowser();
const gateway = await openScripted();
const upstream = gateway.upstreams["openai-chat"];

/** How the last request has ended for the provider. */
async function closing(): Promise<"answered" | "gone"> {
  await expect.poll(() => upstream.requests.length).toBeGreaterThan(0);
  return upstream.requests.at(-1)!.closed;
}

async function ask(reply: Reply): Promise<Page> {
  const known = upstream.requests.length;
  gateway.script("openai-chat", reply);
  const { page } = await openTab(browser, gateway.url);
  await chooseModel(page, "openai-chat/any-model");
  await say(page, "Go");
  await expect.poll(() => upstream.requests.length).toBe(known + 1);
  return page;
}

const half = [
  { type: "tool-call-start", callId: "c1", name: "look_up" },
  { type: "tool-call-delta", callId: "c1", json: '{"city": "Os' },
] as const;

const PHASES = [
  { phase: "before the first word", steps: undefined, seen: "Waiting…" },
  { phase: "in the middle of thinking", steps: [start(), reasoning("Hmm")], seen: "Thinking…" },
  { phase: "in the middle of the text", steps: [start(), text("Once upon a")], seen: "Once upon a" },
  { phase: "in the middle of a tool call", steps: [start(), ...half], seen: "being written" },
] as const;

const WAYS = [
  { way: "the button", press: (page: Page) => page.getByRole("button", { name: "Stop", exact: true }).click() },
  { way: "Escape", press: (page: Page) => page.keyboard.press("Escape") },
] as const;

describe("a stop", () => {
  it.each(PHASES.flatMap((each) => WAYS.map((way) => ({ ...each, ...way }))))(
    "by $way ends the answer $phase, and leaves the focus where one writes",
    async ({ steps, seen, press }) => {
      const page = await ask(steps === undefined ? { silent: true } : [...steps, createGate().pass, finish()]);
      await page.getByText(seen).first().waitFor();
      await press(page);
      expect(await endingOf(page)).toBe("cancelled");
      expect(await closing()).toBe("gone");
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("prompt");
      await page.getByRole("button", { name: "Regenerate" }).waitFor();
    },
  );

  it("ends the answer of its own tab, and nobody else's", async () => {
    const one = await ask([start(), text("The first"), createGate().pass, finish()]);
    await one.getByText("The first").waitFor();
    const { closed } = upstream.requests.at(-1)!;
    const other = await ask([start(), text("The second"), createGate().pass, finish()]);
    await other.getByText("The second").waitFor();
    await other.keyboard.press("Escape");
    expect(await endingOf(other)).toBe("cancelled");
    expect(gateway.house.generations.live()).toHaveLength(1);
    expect(await one.locator(".ending").count()).toBe(0);
    await one.keyboard.press("Escape");
    expect(await endingOf(one)).toBe("cancelled");
    expect(await closed).toBe("gone");
  });

  it("is not meant by an Escape in the middle of a word that is being composed", async () => {
    const page = await ask([start(), text("On and on"), createGate().pass, finish()]);
    await page.getByText("On and on").waitFor();
    const key = { key: "Escape", bubbles: true };
    await page.getByLabel("Message").dispatchEvent("keydown", { ...key, isComposing: true });
    expect(await page.getByRole("button", { name: "Stop", exact: true }).count()).toBe(1);
    await page.getByLabel("Message").dispatchEvent("keydown", key);
    expect(await endingOf(page)).toBe("cancelled");
  });

  it("is told again until the gateway has heard it", async () => {
    const page = await ask([start(), text("On and on"), createGate().pass, finish()]);
    await page.getByText("On and on").waitFor();
    let lost = 0;
    await page.route("**/stop", async (route) => {
      lost += 1;
      await (lost <= 2 ? route.abort() : route.continue());
    });
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Stopping…" }).waitFor();
    expect(await endingOf(page)).toBe("cancelled");
    expect(lost).toBe(3);
  });

  it("comes with a new conversation, also for an answer that has no id yet", async () => {
    const page = await ask({ silent: true });
    const followed: string[] = [];
    page.on("request", (request) => followed.push(request.url()));
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByRole("heading", { name: "See it stop" }).waitFor();
    expect(await closing()).toBe("gone");
    await expect.poll(() => gateway.house.generations.live()).toEqual([]);
    expect(followed.filter((url) => url.includes("/events"))).toEqual([]);
  });
});
