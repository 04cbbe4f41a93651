import { createGate, finish, start, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { hashOf } from "../../gateway/test/support/gateway.ts";
import { openScripted } from "../../gateway/test/support/scripted.ts";
import { chooseModel, endingOf, lastAnswer, openBrowser, openTab, say, whenReady } from "./support/browser.ts";

const browser = await openBrowser();
const gateway = await openScripted();
const locked = await openScripted({ keys: [{ name: "alice", sha256: hashOf("quiet-harbour") }] });
const model = "openai-chat/any-model";

describe("what somebody has written", () => {
  it("is still there after another page was looked at, and after a reload", async () => {
    const { page } = await openTab(browser, gateway.url);
    await page.getByLabel("Message").fill("Half a question");
    await page.getByRole("link", { name: "Live" }).click();
    await page.getByText("Nothing runs.").waitFor();
    await page.goBack();
    expect(await page.getByLabel("Message").inputValue()).toBe("Half a question");
    await page.reload();
    expect(await page.getByLabel("Message").inputValue()).toBe("Half a question");
    gateway.script("openai-chat", [start(), text("Yes."), finish()]);
    await chooseModel(page, model);
    await page.getByLabel("Message").press("Enter");
    await endingOf(page);
    await page.reload();
    await endingOf(page);
    expect(await page.getByLabel("Message").inputValue()).toBe("");
  });

  it("is still there when the page is left before the gateway has told the id of the answer", async () => {
    gateway.script("openai-chat", { silent: true });
    const { page } = await openTab(browser, gateway.url);
    await chooseModel(page, model);
    await say(page, "A good question");
    await page.getByText("Waiting…").waitFor();
    await page.reload();
    await page.getByText("The page was left before").waitFor();
    expect(await page.locator(".prompt").textContent()).toBe("A good question");
    gateway.script("openai-chat", [start(), text("A good answer"), finish()]);
    await page.getByRole("button", { name: "Regenerate" }).click();
    await endingOf(page);
    expect(await lastAnswer(page)).toBe("A good answer");
    for (const generation of gateway.house.generations.live()) generation.stop("user");
  });
});

describe("a conversation", () => {
  it("outlives a key that is not good any more", async () => {
    locked.script("openai-chat", [start(), text("Between us"), finish()]);
    const { page } = await openTab(browser, locked.url);
    const come = async (): Promise<void> => {
      await page.getByLabel("Your key").fill(" quiet-harbour ");
      await page.getByRole("button", { name: "Use this key" }).click();
    };
    await come();
    await chooseModel(page, model);
    await say(page, "Well?");
    await endingOf(page);
    await page.evaluate(() => sessionStorage.setItem("fullstop.key", JSON.stringify("not-good-any-more")));
    await page.reload();
    await page.getByText("The key is not known here").waitFor();
    await come();
    await endingOf(page);
    expect(await lastAnswer(page)).toBe("Between us");
  });

  it("keeps what was said in an answer that the gateway has lost", async () => {
    const { page } = await openTab(browser, gateway.url);
    const said = [start(), text("Once upon a")].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    let asked = 0;
    await page.route("**/events?*", (route) => {
      asked += 1;
      if (asked === 1) return route.fulfill({ contentType: "text/event-stream", body: said });
      return asked === 2 ? route.fulfill({ status: 404, json: {} }) : route.continue();
    });
    gateway.script("openai-chat", [start(), text("And on."), finish()]);
    await chooseModel(page, model);
    await say(page, "Tell me a story");
    await page.getByText("The gateway does not have this answer any more.").waitFor();
    await say(page, "Go on");
    await endingOf(page);
    expect(await page.locator(".answer-text").allTextContents()).toEqual(["Once upon a", "And on."]);
    const { request } = gateway.upstreams["openai-chat"].requests.at(-1)!;
    expect(request.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });
});

describe("a conversation that is too long to be kept", () => {
  it("is kept as far as there is room, the newest first", async () => {
    gateway.script("openai-chat", ({ messages }) => [start(), text(`Answer ${messages.length}`), finish()]);
    const { page } = await openTab(browser, gateway.url);
    await chooseModel(page, model);
    // Browsers keep some millions of characters for a page.
    const room = 5_242_880 - 300_000;
    await page.evaluate((length) => sessionStorage.setItem("filler", "x".repeat(length)), room);
    for (const question of ["One", "Two", "Three"]) {
      await say(page, `${question} ${"word ".repeat(25_000)}`);
      await endingOf(page);
    }
    await page.reload();
    await endingOf(page);
    expect(await page.locator(".prompt").last().textContent()).toContain("Three");
    expect(await lastAnswer(page)).toBe("Answer 5");
  });
});

describe("a conversation that was loaded again", () => {
  it("is asked to go on only when all of it is there, as it is sent along", async () => {
    const { page } = await openTab(browser, gateway.url);
    await chooseModel(page, model);
    for (const answer of ["One.", "Two."]) {
      gateway.script("openai-chat", [start(), text(answer), finish()]);
      await say(page, "And?");
      await endingOf(page);
    }
    const line = createGate();
    let asked = 0;
    await page.route("**/events?*", async (route) => {
      asked += 1;
      // The first answer is longer on its way than the second.
      if (asked === 1) await line.pass();
      await route.continue();
    });
    await page.reload();
    await endingOf(page);
    await page.getByLabel("Message").fill("And then?");
    await page.getByLabel("Message").press("Enter");
    for (const name of ["Regenerate", "Continue", "Send"])
      expect(await page.getByRole("button", { name, exact: true }).isDisabled()).toBe(true);
    line.open();
    gateway.script("openai-chat", [start(), text("Three."), finish()]);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect.poll(() => page.locator(".answer-text").allTextContents()).toEqual(["One.", "Two.", "Three."]);
    const { request } = gateway.upstreams["openai-chat"].requests.at(-1)!;
    expect(request.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
  });
});

describe("an address", () => {
  it.each(["#/history/%E0%A4%A", "#/nowhere", "#/live/%", "#%"])(
    "that means nothing still shows a page: %s",
    async (place) => {
      const { page, problems } = await openTab(browser, gateway.url, place);
      await page.getByRole("navigation", { name: "Pages" }).waitFor();
      expect(problems).toEqual([]);
    },
  );
});

describe("a gateway that is away", () => {
  it("is asked for its models until it answers, and nothing can be sent before", async () => {
    const { page } = await openTab(browser, gateway.url);
    await whenReady(page);
    let isAway = true;
    await page.route("**/v1/models", (route) => (isAway ? route.abort() : route.continue()));
    await page.evaluate(() => sessionStorage.clear());
    await page.reload();
    await page.getByText("The gateway cannot be reached.").waitFor();
    expect(await page.getByRole("button", { name: "Count to 100" }).isDisabled()).toBe(true);
    isAway = false;
    await whenReady(page);
    expect(await page.getByText("The gateway cannot be reached.").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Count to 100" }).isDisabled()).toBe(false);
  });

  it("counts as back as soon as it answers, though the model is silent", async () => {
    const said = [start(), text("A pause")];
    const { page } = await openTab(browser, gateway.url);
    let asked = 0;
    await page.route("**/events?*", (route) => {
      asked += 1;
      // A connection that breaks behind what was said, one that cannot be had, and one on which nothing comes.
      const body = said.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
      if (asked === 1) return route.fulfill({ contentType: "text/event-stream", body });
      return asked === 2 ? route.abort() : route.continue();
    });
    gateway.script("openai-chat", [...said, createGate().pass, finish()]);
    await chooseModel(page, model);
    await say(page, "Go");
    await page.getByText("The gateway is away").waitFor();
    await page.getByText("The gateway is away").waitFor({ state: "detached" });
    expect(asked).toBe(3);
    await page.keyboard.press("Escape");
    expect(await endingOf(page)).toBe("cancelled");
    expect(await lastAnswer(page)).toBe("A pause");
  });
});

describe("a page whose code cannot be fetched", () => {
  it("says so, and is fetched when somebody wants it again", async () => {
    const { page } = await openTab(browser, gateway.url);
    await page.route("**/assets/history-*", (route) => route.abort());
    await page.getByRole("link", { name: "History" }).click();
    const again = page.getByRole("button", { name: "Load it again" });
    await again.waitFor();
    await page.unroute("**/assets/history-*");
    await again.click();
    await page.getByRole("heading", { name: "History" }).waitFor();
    expect(await again.count()).toBe(0);
  });
});

describe("a tab that nobody sees", () => {
  it("gives its connection back, and reads the rest when somebody looks again", async () => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("Once upon "), gate.pass, text("a time"), finish()]);
    const { page } = await openTab(browser, gateway.url);
    const turnTo = (isHidden: boolean): Promise<void> =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, isHidden);
    await chooseModel(page, model);
    await say(page, "Go");
    await page.getByText("Once upon").waitFor();
    const left = gateway.nextDisconnect();
    await turnTo(true);
    await left;
    gate.open();
    await expect.poll(() => gateway.house.generations.live()).toEqual([]);
    expect(await lastAnswer(page)).toBe("Once upon ");
    await turnTo(false);
    expect(await endingOf(page)).toBe("natural_completion");
    expect(await lastAnswer(page)).toBe("Once upon a time");
  });
});
