import { describe, expect, it } from "vitest";
import { hashOf, openGatewayForFile } from "../../gateway/test/support/gateway.ts";
import { openBrowser, openTab, takePicture, whenReady } from "./support/browser.ts";

const browser = await openBrowser();
const { url } = await openGatewayForFile({ keys: [{ name: "alice", sha256: hashOf("quiet-harbour") }] });

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
