import { describe, expect, it, onTestFinished } from "vitest";
import { hashOf, openGateway, openGatewayForFile } from "../../gateway/test/support/gateway.ts";
import { openScripted } from "../../gateway/test/support/scripted.ts";
import { chooseModel, openBrowser, openTab, say, takePicture, whenReady } from "./support/browser.ts";

const browser = await openBrowser();
const keys = [{ name: "alice", sha256: hashOf("quiet-harbour") }];
const { url } = await openGatewayForFile({ keys });
const keyed = await openScripted({ keys });
const open = await openScripted();
const byCaller = await openScripted({}, { apiKeyEnv: undefined, callerKey: true });

describe("a gateway with keys", () => {
  it("asks for the key, refuses a wrong one, keeps the right one in the tab, and forgets it", async () => {
    const { page, problems } = await openTab(browser, url);
    await page.getByText("This gateway asks for a key.").waitFor();
    await takePicture(page, "key");
    await page.getByLabel("Your key").fill("wrong");
    await page.getByRole("button", { name: "Use this key" }).click();
    await page.getByText("The key is not known here").waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("key");
    await page.getByLabel("Your key").fill("schlüssel → haus");
    await page.getByText("no letters but those of ASCII").waitFor();
    expect(await page.getByRole("button", { name: "Use this key" }).isDisabled()).toBe(true);
    await page.getByLabel("Your key").fill("quiet-harbour");
    await page.getByRole("button", { name: "Use this key" }).click();
    await whenReady(page);
    await page.reload();
    await whenReady(page);
    await page.getByRole("link", { name: "Live" }).click();
    await page.getByText("Nothing runs.").waitFor();
    await page.getByRole("button", { name: "Forget the key" }).click();
    await page.getByLabel("Your key").waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain("quiet");
    expect(page.url()).not.toContain("quiet");
    expect(problems).toEqual([]);
  });
});

const EXPIRED = "Incorrect API key provided";

describe("a key that is refused elsewhere", () => {
  it("is told under the turn where a provider refuses that of the gateway, which goes on as before", async () => {
    for (const gateway of [keyed, open]) {
      const error = { message: EXPIRED, type: "invalid_request_error", code: "invalid_api_key" };
      gateway.script("openai-chat", { status: 401, body: { error } });
      const { page } = await openTab(browser, gateway.url);
      if (gateway === keyed) {
        await page.getByLabel("Your key").fill("quiet-harbour");
        await page.getByRole("button", { name: "Use this key" }).click();
      }
      await chooseModel(page, "openai-chat/any-model");
      await say(page, "Hello?");
      await page.locator(".turn").getByText(EXPIRED).waitFor();
      expect(await page.getByLabel("Your key").count()).toBe(0);
      await page.reload();
      await page.getByLabel("Message").waitFor();
    }
  });

  it("is told under the turn where the provider is a gateway itself, which says so in the same words", async () => {
    const providers = { next: { baseUrl: `${url}/v1`, apiKeyEnv: "NEXT_KEY", listModels: false } };
    const models = { far: { provider: "next", model: "pip" } };
    const chained = await openGateway({ keys, providers, models }, { NEXT_KEY: "expired-key" });
    onTestFinished(() => chained.close());
    const { page } = await openTab(browser, chained.url);
    await page.getByLabel("Your key").fill("quiet-harbour");
    await page.getByRole("button", { name: "Use this key" }).click();
    await chooseModel(page, "far");
    await say(page, "Hello?");
    await page.locator(".turn").getByText("The key is not known here").waitFor();
    expect(await page.getByLabel("Your key").count()).toBe(0);
    await page.reload();
    await page.getByLabel("Message").waitFor();
  });

  it("is told under the turn where whoever asks has to bring that of the provider", async () => {
    const { page } = await openTab(browser, byCaller.url);
    await chooseModel(page, "openai-chat/any-model");
    await say(page, "Hello?");
    await page.locator(".turn").getByText("x-fullstop-provider-key").waitFor();
    expect(await page.getByLabel("Your key").count()).toBe(0);
  });
});
