import { createGate, finish, reasoning, start, text } from "fullstop/testing";
import type { Page, Request } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hashOf } from "../../gateway/test/support/gateway.ts";
import { openScripted } from "../../gateway/test/support/scripted.ts";
import type { ScriptedGateway } from "../../gateway/test/support/scripted.ts";
import type { Reply } from "../../gateway/test/support/upstream.ts";
import { chooseModel, endingOf, openBrowser, openTab, say } from "./support/browser.ts";

const browser = await openBrowser();
const gateway = await openScripted();
const locked = await openScripted({ keys: [{ name: "alice", sha256: hashOf("quiet-harbour") }] });

const ON_AND_ON: Reply = [start(), text("On and on"), createGate().pass, finish()];

/** A question on its way, and a gateway that no stop reaches. */
interface Deaf {
  readonly page: Page;
  /** What the page has tried to order, in its order. */
  readonly told: readonly string[];
  /** Resolves when the provider is not read any more. */
  readonly closed: Promise<"answered" | "gone">;
  /** Lets stops through from now on. */
  readonly hear: () => Promise<void>;
}

async function askTheDeaf(reply: Reply, asked: ScriptedGateway = gateway): Promise<Deaf> {
  const { requests } = asked.upstreams["openai-chat"];
  const known = requests.length;
  asked.script("openai-chat", reply);
  const { page } = await openTab(browser, asked.url);
  if (asked === locked) await giveKey(page);
  const told: string[] = [];
  page.on("request", (request) => {
    if (isStop(request)) told.push(modeOf(request));
  });
  await page.route("**/stop", (route) => route.abort());
  await chooseModel(page, "openai-chat/any-model");
  await say(page, "Go");
  await expect.poll(() => requests.length).toBe(known + 1);
  return { page, told, closed: requests.at(-1)!.closed, hear: () => page.unroute("**/stop") };
}

function isStop(request: Request): boolean {
  return request.url().endsWith("/stop");
}

function modeOf(request: Request): string {
  const read: (json: string) => { readonly mode: string } = JSON.parse;
  return read(request.postData() ?? "").mode;
}

/** Resolves when a stop has come to the gateway without a key that is good there. */
async function whenRefused(page: Page): Promise<void> {
  await page.waitForResponse((response) => isStop(response.request()) && response.status() === 401);
}

async function giveKey(page: Page): Promise<void> {
  await page.getByLabel("Your key").fill("quiet-harbour");
  await page.getByRole("button", { name: "Use this key" }).click();
}

describe("a stop that the gateway has not heard", () => {
  it("is told again after a reload, until it was heard, and then no more", async () => {
    const { page, told, closed, hear } = await askTheDeaf(ON_AND_ON);
    await page.getByText("On and on").waitFor();
    await page.keyboard.press("Escape");
    await page.reload();
    await page.getByText("On and on").waitFor();
    await page.getByRole("button", { name: "Stopping…" }).waitFor();
    await hear();
    expect(await endingOf(page)).toBe("cancelled");
    expect(await closed).toBe("gone");
    const before = told.length;
    await page.reload();
    await endingOf(page);
    expect(told).toHaveLength(before);
  });

  it("is told after a reload of any page", async () => {
    const { page, closed, hear } = await askTheDeaf(ON_AND_ON);
    await page.getByText("On and on").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Live" }).click();
    await page.reload();
    await page.getByRole("heading", { name: "Live" }).waitFor();
    await hear();
    expect(await closed).toBe("gone");
    await page.getByText("Nothing runs.").waitFor();
  });

  it("outlives its conversation and a reload, unseen", async () => {
    const { page, told, closed, hear } = await askTheDeaf(ON_AND_ON);
    await page.getByText("On and on").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.reload();
    await page.getByRole("heading", { name: "See it stop" }).waitFor();
    expect(await page.getByText("On and on").count()).toBe(0);
    await hear();
    expect(await closed).toBe("gone");
    await expect.poll(() => gateway.house.generations.live()).toEqual([]);
    expect(new Set(told)).toEqual(new Set(["stop"]));
  });

  it("outlives a reload where a new conversation has come before the id of the answer", async () => {
    const { page, told, closed, hear } = await askTheDeaf({ silent: true });
    await page.getByRole("button", { name: "New conversation" }).click();
    await expect.poll(() => told).not.toEqual([]);
    await page.reload();
    await page.getByRole("heading", { name: "See it stop" }).waitFor();
    await hear();
    expect(await closed).toBe("gone");
  });

  it("is not told any more when the answer has come to its own end", async () => {
    const gate = createGate();
    const { page, told } = await askTheDeaf([start(), text("On and on"), gate.pass, finish()]);
    await page.getByText("On and on").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => told).not.toEqual([]);
    gate.open();
    expect(await endingOf(page)).toBe("natural_completion");
    const before = told.length;
    await page.reload();
    expect(await endingOf(page)).toBe("natural_completion");
    expect(told).toHaveLength(before);
  });

  it("waits for a key where the one before is not good any more", async () => {
    const { page, closed, hear } = await askTheDeaf(ON_AND_ON, locked);
    await page.getByText("On and on").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Stopping…" }).waitFor();
    await page.evaluate(() => sessionStorage.setItem("fullstop.key", JSON.stringify("not-good-any-more")));
    const refused = whenRefused(page);
    await page.reload();
    await hear();
    await refused;
    await giveKey(page);
    expect(await endingOf(page)).toBe("cancelled");
    expect(await closed).toBe("gone");
  });

  it("is still to be told when the key was forgotten, of which nothing else is left", async () => {
    const { page, closed, hear } = await askTheDeaf(ON_AND_ON, locked);
    await page.getByText("On and on").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Stopping…" }).waitFor();
    const refused = whenRefused(page);
    await page.getByRole("button", { name: "Forget the key" }).click();
    await page.getByLabel("Your key").waitFor();
    await hear();
    await refused;
    await giveKey(page);
    expect(await closed).toBe("gone");
    await page.getByRole("heading", { name: "See it stop" }).waitFor();
  });
});

describe("a skip of thinking that the gateway has not heard", () => {
  const thinking: Reply = [start(), reasoning("Hmm"), createGate().pass, finish()];

  it("is told again after a reload", async () => {
    const { page, told, hear } = await askTheDeaf(thinking);
    await page.getByRole("button", { name: "Skip thinking" }).click();
    await page.reload();
    await page.getByRole("button", { name: "Skipping…" }).waitFor();
    const heard = page.waitForResponse((response) => isStop(response.request()));
    await hear();
    expect(await (await heard).json()).toMatchObject({ result: "stopped" });
    expect(new Set(told)).toEqual(new Set(["skip-thinking"]));
    await page.keyboard.press("Escape");
    expect(await endingOf(page)).toBe("cancelled");
  });

  it("is not told any more after a stop", async () => {
    const { page, told, hear } = await askTheDeaf(thinking);
    await page.getByRole("button", { name: "Skip thinking" }).click();
    await page.keyboard.press("Escape");
    // By the second time, the skip would have been told again, too.
    await expect.poll(() => told.filter((mode) => mode === "stop").length).toBeGreaterThan(1);
    await page.reload();
    await page.getByRole("button", { name: "Stopping…" }).waitFor();
    await hear();
    expect(await endingOf(page)).toBe("cancelled");
    expect(told[0]).toBe("skip-thinking");
    expect(new Set(told.slice(told.indexOf("stop")))).toEqual(new Set(["stop"]));
  });
});
