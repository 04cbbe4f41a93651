import { finish, reasoning, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { post } from "../../gateway/test/support/gateway.ts";
import { openScripted } from "../../gateway/test/support/scripted.ts";
import { openBrowser, openTab, takePicture } from "./support/browser.ts";

const browser = await openBrowser();
const gateway = await openScripted();
const { url } = gateway;

async function ask(model: string, fullstop: object = {}, tokens?: number): Promise<void> {
  const body = { model, messages: [{ role: "user", content: "?" }], fullstop, max_completion_tokens: tokens };
  await post(`${url}/v1/chat/completions`, body);
}

describe("the history page", () => {
  it("says that nothing has ended", async () => {
    const { page } = await openTab(browser, url, "#/history");
    await page.getByText("Nothing has ended yet.").waitFor();
    expect(await page.locator("table").count()).toBe(0);
  });

  it("shows endings over time, finds them, and opens one", async () => {
    const answer = [start(), reasoning("Let me see"), text("All good, STOP here"), usage(12, 6), finish()];
    gateway.script("openai-chat", answer);
    gateway.script("anthropic-messages", { status: 500, body: {} });
    for (let index = 0; index < 6; index += 1) await ask("openai-chat/first-model");
    for (let index = 0; index < 3; index += 1) await ask("openai-chat/other-model", { stop: ["STOP"] }, 100);
    await ask("anthropic-messages/broken-model");
    const { page, problems, foreign } = await openTab(browser, url, "#/history");
    await page.getByRole("cell", { name: "openai-chat/first-model" }).first().waitFor();
    expect(await page.locator("tbody tr").count()).toBe(10);
    expect(await page.locator(".plot canvas").count()).toBe(2);
    expect(await page.locator(".legend").first().textContent()).toContain("Finished by itself 6");
    expect(await page.locator(".figures").textContent()).toContain("Stopped early3 (30 %)");
    expect(await page.locator(".figures").textContent()).toContain("Tokens saved, at most276");
    await takePicture(page, "history");
    await page.route("**/v1/generations?*", (route) => route.abort());
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("The gateway cannot be reached.").waitFor();
    expect(await page.locator("tbody tr").count()).toBe(10);
    await page.unroute("**/v1/generations?*");
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("The gateway cannot be reached.").waitFor({ state: "detached" });
    await page.getByLabel("Search").fill("stop_sequence other");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(3);
    await page.locator("tbody tr a").first().click();
    const said = page.getByRole("region", { name: "What it said" });
    await said.waitFor();
    expect(await page.locator("h1 + p").textContent()).toMatch(/ seconds, for anybody, by /u);
    expect(await said.textContent()).toContain("Let me see");
    expect(await said.textContent()).toContain("All good, ");
    expect(await said.locator("[data-reason]").getAttribute("data-reason")).toBe("stop_sequence");
    await page.locator(".events summary").click();
    await expect.poll(() => page.getByLabel("Events").textContent()).toContain('"type":"finish"');
    await takePicture(page, "history-generation");
    await page.getByRole("link", { name: "← History" }).click();
    await page.getByLabel("Search").waitFor();
    expect(foreign).toEqual([]);
    expect(problems).toEqual([]);
  });
});
