import { finish, start, text } from "fullstop/testing";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hashOf, openGatewayForFile, post } from "../../gateway/test/support/gateway.ts";
import { openScripted } from "../../gateway/test/support/scripted.ts";
import type { Reply } from "../../gateway/test/support/upstream.ts";
import { chooseModel, endingOf, lastAnswer, openBrowser, openTab, say, whenReady } from "./support/browser.ts";

const browser = await openBrowser();
const gateway = await openScripted();
const locked = await openGatewayForFile({ keys: [{ name: "alice", sha256: hashOf("quiet") }] });

async function open(reply: Reply, options: object = {}): Promise<Page> {
  gateway.script("openai-chat", reply);
  const { page } = await openTab(browser, gateway.url, "", options);
  await page.locator(".panel").evaluate((panel) => panel.setAttribute("open", ""));
  await chooseModel(page, "openai-chat/any-model");
  return page;
}

describe("an answer", () => {
  it("that has failed says why without being asked", async () => {
    const error = { error: { message: "The model fell asleep", type: "server_error" } };
    const page = await open([start(), text("Half an ans"), { raw: `data: ${JSON.stringify(error)}\n\n` }]);
    await say(page, "Well?");
    expect(await endingOf(page)).toBe("error_termination");
    await page.locator(".failure").getByText("The model fell asleep").waitFor();
    await expect.poll(() => page.locator("p[role=status]").textContent()).toContain("The model fell asleep");
  });

  it("says on a phone why it has ended in lines that can be read", async () => {
    const page = await open([start(), text("Yes."), finish()], { viewport: { width: 360, height: 640 } });
    await say(page, "Well?");
    await endingOf(page);
    await page.locator(".ending summary").click();
    const fact = page.locator(".facts dd", { hasText: "choices[0].finish_reason" });
    const [line] = await fact.evaluate((shown) => getComputedStyle(shown).lineHeight.split("px"));
    expect((await fact.boundingBox())!.height).toBeLessThan(2 * Number(line));
  });

  it("is read from the right where its letters are, line by line", async () => {
    const page = await open([start(), text("مرحبا بالعالم!\nHello, world!"), finish()]);
    await say(page, "اكتب!");
    await endingOf(page);
    // Where each line has its first letter, and the sign at its end.
    const places = await page.locator(".block").evaluate((block) => {
      const letters = block.firstChild!;
      const at = (index: number): number => {
        const range = document.createRange();
        range.setStart(letters, index);
        range.setEnd(letters, index + 1);
        return range.getBoundingClientRect().x;
      };
      const second = letters.textContent!.indexOf("H");
      return { arabic: [at(0), at(second - 2)], english: [at(second), at(letters.textContent!.length - 1)] };
    });
    expect(places.arabic[0]).toBeGreaterThan(places.arabic[1]!);
    expect(places.english[0]).toBeLessThan(places.english[1]!);
    expect(places.arabic[0]).toBeGreaterThan(places.english[1]!);
  });

  it("is seen when it is asked for, wherever somebody was reading", async () => {
    const page = await open([start(), text("A line\n".repeat(100)), finish()]);
    await page.getByLabel("Stop when it repeats itself").uncheck();
    await say(page, "First");
    await endingOf(page);
    await page.getByRole("group", { name: "Turns" }).evaluate((turns) => turns.scrollTo({ top: 0 }));
    await say(page, "Second");
    await endingOf(page);
    const box = await page.locator(".ending").last().boundingBox();
    expect(box!.y + box!.height).toBeLessThan(800);
  });

  it("ends at a line break, which can be seen", async () => {
    const page = await open([start(), text("One line\nand another"), finish()]);
    await page.getByLabel("Stop strings").fill(String.raw`\n`);
    await page.getByLabel("Stop strings").press("Enter");
    expect(await page.locator(".chip code").textContent()).toBe(String.raw`\n`);
    await say(page, "Go");
    expect(await endingOf(page)).toBe("stop_sequence");
    expect(await lastAnswer(page)).toBe("One line");
    expect(await page.locator(".ending-match").textContent()).toBe(String.raw`\n`);
  });
});

describe("a question", () => {
  it("that is very long is put away, and can be seen", async () => {
    const page = await open([start(), text("Yes."), finish()]);
    const book = "A word 🙂 ".repeat(2000).trim();
    await say(page, book);
    await endingOf(page);
    expect((await page.locator(".prompt").textContent())!.length).toBeLessThan(1000);
    await page.getByRole("button", { name: "Show all" }).click();
    expect(await page.locator(".prompt").textContent()).toContain(book);
    expect(gateway.upstreams["openai-chat"].requests.at(-1)!.request.messages[0]?.content).toEqual([
      { type: "text", text: book },
    ]);
    // Asked again, it is a question of its own.
    await page.getByRole("button", { name: "Regenerate" }).click();
    await page.getByRole("button", { name: "Show all" }).waitFor();
  });

  it("has room to be written", async () => {
    const page = await open([start(), finish()]);
    const field = page.getByLabel("Message");
    const before = await field.boundingBox();
    await field.fill("A line\n".repeat(8));
    const after = await field.boundingBox();
    expect(after!.height).toBeGreaterThan(before!.height * 2);
    await field.fill("A line\n".repeat(200));
    expect((await field.boundingBox())!.height).toBeLessThan(400);
  });
});

describe("a word that is written with the help of an input method", () => {
  /** Presses Enter as it is told where it ends a word: by Chromium while it is written, by Safari when it is. */
  const presses = ["Chromium", "Safari"] as const;

  it.each(presses)("is sent and taken as a stop string only when it is whole, in %s", async (name) => {
    const page = await open([start(), text("Yes."), finish()]);
    const tools = await page.context().newCDPSession(page);
    const press = async (): Promise<void> => {
      if (name === "Chromium") {
        await tools.send("Input.dispatchKeyEvent", { type: "keyDown", key: "Enter", windowsVirtualKeyCode: 229 });
      } else {
        const init = { key: "Enter", keyCode: 229, bubbles: true, cancelable: true };
        await page
          .locator(":focus")
          .evaluate((field, key) => field.dispatchEvent(new KeyboardEvent("keydown", key)), init);
      }
    };
    const halfWritten = { text: "にほん", selectionStart: 3, selectionEnd: 3 };
    await page.getByLabel("Stop strings").focus();
    await tools.send("Input.imeSetComposition", halfWritten);
    await press();
    await tools.send("Input.insertText", { text: "日本" });
    expect(await page.locator(".chip").count()).toBe(0);
    await page.keyboard.press("Enter");
    expect(await page.locator(".chip code").allTextContents()).toEqual(["日本"]);
    await page.getByLabel("Message").focus();
    await tools.send("Input.imeSetComposition", halfWritten);
    await press();
    await tools.send("Input.insertText", { text: "日本" });
    expect(await page.locator(".turn").count()).toBe(0);
    await page.keyboard.press("Enter");
    await endingOf(page);
    expect(await page.locator(".prompt").textContent()).toBe("日本");
  });
});

describe("a limit", () => {
  it.each([
    { label: "Tokens", written: "0", isLimit: false },
    { label: "Tokens", written: "1.5", isLimit: false },
    { label: "Tokens", written: "12", isLimit: true },
    { label: "Seconds", written: "0.5", isLimit: true },
    { label: "Seconds", written: "-1", isLimit: false },
    { label: "Tokens", written: "", isLimit: true },
  ])("of $written $label holds or it is said that it does not", async ({ label, written, isLimit }) => {
    const page = await open([start(), text("Yes."), finish()]);
    await page.getByLabel(label, { exact: true }).fill(written);
    expect(await page.getByText("No limit:").count()).toBe(isLimit ? 0 : 1);
    expect(await page.getByLabel(label, { exact: true }).inputValue()).toBe(written);
    await say(page, "Well?");
    expect(await endingOf(page)).toBe("natural_completion");
  });
});

describe("what is no number in the place of a limit", () => {
  it("is told not to hold, until there is one", async () => {
    const page = await open([start(), text("Yes."), finish()]);
    const field = page.getByLabel("Seconds", { exact: true });
    await field.fill("");
    await field.pressSequentially("5e");
    await page.getByText("No limit:").waitFor();
    await field.fill("5");
    expect(await page.getByText("No limit:").count()).toBe(0);
  });
});

describe("the page", () => {
  it("shows its beginning first on a phone", async () => {
    const { page } = await openTab(browser, gateway.url, "", { viewport: { width: 390, height: 600 } });
    await page.getByRole("button", { name: "Use a tool" }).waitFor();
    expect(await page.locator(".turns").evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  });

  it("does not scroll beyond its end, however long a conversation is", async () => {
    const page = await open([start(), text("A line\n".repeat(100)), finish()]);
    await page.getByLabel("Stop when it repeats itself").uncheck();
    await say(page, "Well?");
    await endingOf(page);
    await page.getByText("The same request as code").click();
    const beyond = await page.evaluate(() => {
      const boxes = [document.documentElement, ...document.querySelectorAll("main")];
      return boxes.map(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    });
    expect(beyond).toEqual([0, 0]);
  });

  it.each([320, 360, 390, 500])(
    "shows all that stands at its top, %s pixels wide, with a key as well",
    async (width) => {
      const { page } = await openTab(browser, locked.url, "", { viewport: { width, height: 640 } });
      await page.getByLabel("Your key").fill("quiet");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Forget the key" }).waitFor();
      for (const box of ["html", ".top nav"]) {
        const hidden = await page.locator(box).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
        expect({ box, hidden }).toEqual({ box, hidden: 0 });
      }
    },
  );

  it.each(["", "#/live", "#/history", "#/inspect"])("is not wider than a small screen: /%s", async (place) => {
    gateway.script("openai-chat", [start(), text("A".repeat(2000)), finish()]);
    const body = { model: `openai-chat/${"long-name-".repeat(9)}`, messages: [{ role: "user", content: "?" }] };
    await post(`${gateway.url}/v1/chat/completions`, body);
    const { page } = await openTab(browser, gateway.url, place, { viewport: { width: 320, height: 600 } });
    const seen = {
      "": "See it stop",
      "#/live": "Nothing runs.",
      "#/history": "Endings by model",
      "#/inspect": "Paste or",
    };
    await page
      .getByText(seen[place as keyof typeof seen])
      .first()
      .waitFor();
    for (const box of ["html", "main", ".top nav"]) {
      const hidden = await page.locator(box).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      expect({ box, hidden }).toEqual({ box, hidden: 0 });
    }
  });

  it("copies also where browsers have no clipboard for it", async () => {
    const { page, problems } = await openTab(browser, gateway.url);
    await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "clipboard", { value: undefined }));
    await page.reload();
    gateway.script("openai-chat", [start(), text("Yes."), finish()]);
    await chooseModel(page, "openai-chat/any-model");
    await say(page, "Copy me");
    await endingOf(page);
    await page.getByText("The same request as code").click();
    const shown = page.getByLabel("The request for curl");
    await expect.poll(() => shown.textContent()).toContain("Copy me");
    const code = await shown.textContent();
    await page.getByRole("button", { name: "Copy the code" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    await page.getByLabel("Message").focus();
    await page.keyboard.press("Control+V");
    expect(await page.getByLabel("Message").inputValue()).toBe(code);
    await page.getByLabel("Message").fill("");
    await page.getByRole("button", { name: "Copy the answer" }).click();
    await page.locator(".answer-end").getByRole("button", { name: "Copied" }).waitFor();
    await page.getByLabel("Message").focus();
    await page.keyboard.press("Control+V");
    expect(await page.getByLabel("Message").inputValue()).toBe("Yes.");
    expect(problems).toEqual([]);
  });

  it("takes whoever tries an example to where they write", async () => {
    const { page } = await openTab(browser, gateway.url);
    await whenReady(page);
    await page.getByRole("button", { name: "Count to 100" }).press("Enter");
    await page.locator(".turn").waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("prompt");
    await page.keyboard.press("Escape");
    await endingOf(page);
  });
});
