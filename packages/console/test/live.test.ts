import { createScriptedEngine, createGate, finish, reasoning, text } from "fullstop/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openGatewayForFile } from "../../gateway/test/support/gateway.ts";
import { openBrowser, openTab, takePicture } from "./support/browser.ts";

const browser = await openBrowser();
const { url, house } = await openGatewayForFile();

/** Starts something that goes on until it is stopped. */
function begin(id: string, owner: string, steps: Parameters<typeof createScriptedEngine>[0]) {
  return house.generations.start({
    id,
    owner,
    request: { model: "some-model", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] },
    settings: { rules: {}, onDisconnect: "continue" },
    targets: [{ engine: createScriptedEngine(steps), model: "some-model", provider: "p", appliesRules: false }],
  });
}

const answering = (words: string) => () => [text(words), createGate().pass, finish()];
const thinking = () => [reasoning("Let me see"), createGate().pass, finish()];

describe("the live page", () => {
  it("says that nothing runs, shows what does, and stops it", async () => {
    const { page, problems } = await openTab(browser, url, "#/live");
    await page.getByText("Nothing runs.").waitFor();
    const [one, other] = [begin("one", "alice", answering("Once upon a time")), begin("two", "bob", thinking)];
    const row = page.locator('tr[data-id="one"]');
    await row.waitFor();
    await expect.poll(() => row.textContent()).toContain("Once upon a time");
    expect(await row.textContent()).toContain("alice");
    expect(await page.locator('tr[data-id="two"]').getByRole("button", { name: "Skip thinking" }).count()).toBe(1);
    await takePicture(page, "live");
    await row.getByRole("button", { name: "Stop" }).click();
    expect(await one.ended).toMatchObject({ reason: "cancelled" });
    await row.waitFor({ state: "detached" });
    await page.getByText("some-model of alice: stopped").waitFor();
    expect(other.signal).toBeUndefined();
    other.stop("user");
    await page.getByText("Nothing runs.").waitFor();
    expect(problems).toEqual([]);
  });

  it("shows the words that came last, and keeps the focus when a row goes", async () => {
    const { page } = await openTab(browser, url, "#/live");
    const long = `${"Once upon a time and ".repeat(6)}for ever after.`;
    const tale = begin("tale", "alice", answering(long));
    const words = page.locator('tr[data-id="tale"] .last-words');
    await words.getByText("for ever after.").waitFor();
    const [room, written] = await Promise.all([words, words.locator("bdi")].map((each) => each.boundingBox()));
    expect(written!.width).toBeGreaterThan(room!.width);
    expect(written!.x).toBeLessThan(room!.x);
    expect(written!.x + written!.width).toBeLessThanOrEqual(room!.x + room!.width);
    await page.getByRole("button", { name: "Stop some-model" }).press("Enter");
    await tale.ended;
    await page.locator('tr[data-id="tale"]').waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  });

  it("has its buttons on a phone without scrolling", async () => {
    const { page } = await openTab(browser, url, "#/live", { viewport: { width: 390, height: 780 } });
    const thought = begin("thought", "alice", thinking);
    for (const name of [/^Skip/u, "Stop some-model"]) {
      const box = await page.getByRole("button", { name }).boundingBox();
      expect(box!.x).toBeGreaterThan(0);
      expect(box!.x + box!.width).toBeLessThanOrEqual(390);
    }
    await page.getByRole("button", { name: "Stop some-model" }).click();
    expect(await thought.ended).toMatchObject({ reason: "cancelled" });
  });

  it.each([-3600, 3600])("counts seconds by the clock of the gateway: %s seconds apart", async (apart) => {
    const { page } = await openTab(browser, url, "#/inspect");
    await page.addInitScript((milliseconds) => {
      const { now } = Date;
      Date.now = () => now() + milliseconds;
    }, apart * 1000);
    const tale = begin(`timed${apart}`, "alice", answering("Once upon a time"));
    // Loaded anew, so that its clock goes wrong.
    await page.goto(`${url}/?anew#/live`);
    const seconds = page.locator(`tr[data-id="timed${apart}"] td.number`).nth(1);
    await expect.poll(async () => Number(await seconds.textContent())).toBeGreaterThan(0);
    expect(Number(await seconds.textContent())).toBeLessThan(600);
    tale.stop("user");
    await tale.ended;
  });

  it("opens what runs, and shows more as it comes", async () => {
    const { page } = await openTab(browser, url, "#/live");
    const gate = createGate();
    const tale = begin("opened", "alice", () => [text("Once upon "), gate.pass, text("a time"), finish()]);
    await page.getByRole("link", { name: "some-model" }).click();
    const said = page.getByRole("region", { name: "What it said" });
    await expect.poll(() => said.textContent()).toContain("Once upon ");
    expect(await said.textContent()).toContain("It has not ended.");
    gate.open();
    await tale.ended;
    await expect.poll(() => said.textContent()).toContain("Once upon a time");
    expect(await said.locator("[data-reason]").getAttribute("data-reason")).toBe("natural_completion");
  });

  it("stops all of one key, and nothing else", async () => {
    const { page } = await openTab(browser, url, "#/live");
    const mine = ["a", "b", "c"].map((id) => begin(id, "alice", answering("on and on")));
    const theirs = begin("d", "bob", answering("on and on"));
    await page.locator('tr[data-id="d"]').waitFor();
    await page.getByLabel("Owner").selectOption("alice");
    await page.getByRole("button", { name: "Stop all of this key" }).click();
    await page.getByText("Stopped 3 of alice.").waitFor();
    await Promise.all(mine.map(({ ended }) => ended));
    expect(theirs.signal).toBeUndefined();
    theirs.stop("user");
    await theirs.ended;
  });

  it("says that others may still run where the store was away from a stop of all", async () => {
    const { page } = await openTab(browser, url, "#/live");
    const tale = begin("e", "alice", answering("on and on"));
    const receipts = ["stopped", "unreachable"].map((result, index) => ({ id: `${index}`, result }));
    const json = { owner: "alice", generations: receipts, isPartial: true };
    await page.route("**/v1/generations/stop", (route) => route.fulfill({ json }));
    await page.locator('tr[data-id="e"]').waitFor();
    await page.getByLabel("Owner").selectOption("alice");
    await page.getByRole("button", { name: "Stop all of this key" }).click();
    const told = page.getByText(/^Stopped /u);
    await told.waitFor();
    expect(await told.textContent()).toBe(
      "Stopped 1 of alice. The store cannot be reached, so that others may still run elsewhere.",
    );
    tale.stop("user");
    await tale.ended;
  });

  it("never says that nothing runs while the store is away, and does so as soon as it is back", async () => {
    const { store } = house.generations;
    const live = vi.spyOn(store, "live").mockRejectedValue(new Error("The store is away"));
    onTestFinished(() => live.mockRestore());
    const { page } = await openTab(browser, url, "#/live");
    const note = page.getByRole("alert");
    await note.waitFor();
    expect(await note.textContent()).toBe("The store cannot be reached, so that others may still run elsewhere.");
    expect(await page.getByText("Nothing runs.").count()).toBe(0);
    const tale = begin("f", "alice", answering("on and on"));
    await page.locator('tr[data-id="f"]').waitFor();
    expect(await note.count()).toBe(1);
    live.mockRestore();
    await note.waitFor({ state: "detached" });
    tale.stop("user");
    await page.getByText("Nothing runs.").waitFor();
  });

  it("renders only the rows that can be seen of very many", async () => {
    const all = Array.from({ length: 2000 }, (_, index) =>
      begin(`many-${index}`, "carol", answering(`number ${index}`)),
    );
    const { page } = await openTab(browser, url, "#/live");
    await expect.poll(() => page.locator("h1").textContent()).toContain("2000");
    expect(await page.locator("tbody tr[data-id]").count()).toBeLessThan(60);
    const table = page.getByRole("region", { name: "Running generations" });
    await table.evaluate((box) => box.scrollTo({ top: box.scrollHeight }));
    await page.getByText("number 1999", { exact: true }).waitFor();
    expect(await page.locator("tbody tr[data-id]").count()).toBeLessThan(60);
    await takePicture(page, "live-many");
    for (const generation of all) generation.stop("user");
    await page.getByText("Nothing runs.").waitFor();
  });
});
