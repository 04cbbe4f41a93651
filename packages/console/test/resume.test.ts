import { describe, expect, it, onTestFinished } from "vitest";
import { createFolder } from "../../gateway/test/support/folder.ts";
import { openGatewayForFile } from "../../gateway/test/support/gateway.ts";
import { startServe } from "../../gateway/test/support/serve.ts";
import type { ServeProcess } from "../../gateway/test/support/serve.ts";
import { endingOf, lastAnswer, openBrowser, openTab, whenReady } from "./support/browser.ts";

const browser = await openBrowser();
const folder = createFolder();
const pip = { local: "pip", sequences: 2, threads: 1 };

describe("an answer on its way", () => {
  it("goes on where it was when the page is loaded again", async () => {
    const { url, house } = await openGatewayForFile({ models: { pip } });
    const { page } = await openTab(browser, url);
    await whenReady(page);
    await page.getByRole("button", { name: "Think forever" }).click();
    await page.getByRole("button", { name: "Skip thinking" }).waitFor();
    const [running] = house.generations.live();
    await page.reload();
    // The same generation, from its first word on, and it can still be stopped.
    const skip = page.getByRole("button", { name: "Skip thinking" });
    await skip.waitFor();
    expect(house.generations.live()).toEqual([running]);
    expect(await page.locator(".prompt").textContent()).toContain("islands");
    await skip.click();
    await expect.poll(() => lastAnswer(page)).not.toBe("");
    // It may be a long answer, and how it ends is of no interest here.
    await page.keyboard.press("Escape");
    await endingOf(page);
    const [, thinking] = await running!.read();
    expect(await page.locator(".thinking-text").first().textContent()).toContain(
      thinking?.type === "reasoning" ? thinking.text.trim() : "thinking",
    );
    const text = await lastAnswer(page);
    await page.reload();
    await endingOf(page);
    expect(await lastAnswer(page)).toBe(text);
  });

  it("keeps what was said when the server dies, and says so when there is one again", async () => {
    const config = folder.write("fullstop.config.json", JSON.stringify({ models: { pip } }));
    const env = { FULLSTOP_STORE: folder.path("store.db") };
    const servers: ServeProcess[] = [];
    const serve = async (port: string): Promise<ServeProcess> => {
      const server = await startServe(["--port", port, "--config", config], { cwd: folder.path("."), env });
      servers.push(server);
      return server;
    };
    onTestFinished(async () => {
      for (const { child, exit } of servers) {
        child.kill("SIGKILL");
        await exit;
      }
    });
    const first = await serve("0");
    const { page } = await openTab(browser, first.url);
    await whenReady(page);
    await page.getByLabel("Stop when it repeats itself").uncheck();
    await page.getByLabel("Let it think first").uncheck();
    await page.getByLabel("Message").fill("Say I am going around in circles forever");
    await page.getByLabel("Message").press("Enter");
    await expect.poll(() => lastAnswer(page), { timeout: 60_000 }).toContain("in circles.");
    first.child.kill("SIGKILL");
    await page.getByText("The gateway is away").waitFor();
    await serve(new URL(first.url).port);
    expect(await endingOf(page)).toBe("error_termination");
    expect(await lastAnswer(page)).toContain("in circles.");
    expect(await page.getByText("The gateway is away").count()).toBe(0);
  });
});
