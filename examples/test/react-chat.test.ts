import { chromium } from "playwright-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startServe } from "../../packages/gateway/test/support/serve.ts";
import { startExample } from "./support/example-process.ts";
import { endless, openProvider } from "./support/provider.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
});
afterAll(() => browser.close());

async function openChat(baseUrl: string): Promise<Page> {
  const url = await startExample("react-chat", ["src/server.ts"], { OPENAI_BASE_URL: baseUrl, PORT: "0" }).url();
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel("Question").fill(question);
  await page.getByRole("button", { name: "Send" }).click();
}

/** What the last answer says, and what is said of its end. */
async function lastAnswer(page: Page): Promise<readonly (string | null)[]> {
  const article = page.getByRole("article", { name: "assistant" }).last();
  const ending = article.locator("small");
  await ending.waitFor({ state: "attached" });
  return [await article.locator("p").textContent(), await ending.textContent()];
}

describe("the chat in React", () => {
  it("shows an answer of Pip behind the gateway, up to the stop string", async () => {
    const gateway = await startServe(["--port", "0"], { cwd: import.meta.dirname });
    try {
      const page = await openChat(`${gateway.url}/v1`);
      await ask(page, "What number comes before 395? Use <answer></answer>.");
      expect(await lastAnswer(page)).toEqual(["<answer>394", ""]);
    } finally {
      gateway.child.kill();
      await gateway.exit;
    }
  });

  it("keeps the text at a press on Stop, on the page, on the server and for the model", async () => {
    const provider = await openProvider(endless("Once upon", " a time"));
    const page = await openChat(provider.baseUrl);
    await ask(page, "Tell me a story");
    await page.getByText("Once upon a time").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();

    expect(await lastAnswer(page)).toEqual(["Once upon a time", "Stopped."]);
    expect(await provider.requests[0]?.closed).toBe("gone");
    await page.reload();
    expect(await lastAnswer(page)).toEqual(["Once upon a time", "Stopped."]);
    await ask(page, "Go on");
    await expect.poll(() => provider.requests.length).toBe(2);
    expect(provider.requests[1]?.request.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "text", text: "Once upon a time" }] },
      { role: "user" },
    ]);
  });

  it("closes the connection to the provider when the tab is closed, and keeps the text", async () => {
    const provider = await openProvider(endless("Once upon", " a time"));
    const page = await openChat(provider.baseUrl);
    const url = page.url();
    await ask(page, "Tell me a story");
    await page.getByText("Once upon a time").waitFor();
    await page.goto("about:blank");
    expect(await provider.requests[0]?.closed).toBe("gone");
    await page.goto(url);
    expect(await lastAnswer(page)).toEqual(["Once upon a time", "Stopped."]);
  });

  it("says that an answer went round in circles", async () => {
    const provider = await openProvider(endless(...Array.from({ length: 60 }, () => "I am going around in circles. ")));
    const page = await openChat(provider.baseUrl);
    await ask(page, "Say something");
    expect((await lastAnswer(page))[1]).toBe("Ended: it went round in circles.");
    expect(await provider.requests[0]?.closed).toBe("gone");
  });
});
