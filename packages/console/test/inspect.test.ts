import { describe, expect, it } from "vitest";
import { createFolder } from "../../gateway/test/support/folder.ts";
import { openGatewayForFile } from "../../gateway/test/support/gateway.ts";
import { openBrowser, openTab, takePicture } from "./support/browser.ts";

const browser = await openBrowser();
const { url } = await openGatewayForFile();
const folder = createFolder();

const ANTHROPIC = [
  {
    type: "message_start",
    message: { id: "msg_1", model: "some-model", usage: { input_tokens: 9, output_tokens: 1 } },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Half an ans" } },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join("");

describe("the inspect page", () => {
  it("takes a recorded answer apart without sending it anywhere", async () => {
    const { page, problems } = await openTab(browser, url, "#/inspect");
    await page.getByText("Nothing to look at yet.").waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.getByRole("button", { name: "Try an example" }).click();
    const said = page.getByRole("region", { name: "What the recording says" });
    await said.waitFor();
    expect(await said.textContent()).toContain("openai-chat");
    expect(await said.textContent()).toContain("Call of get_weather cut");
    expect(await said.locator("[data-reason]").getAttribute("data-reason")).toBe("token_limit_reached");
    await takePicture(page, "inspect");
    expect(asked).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("recognises a dialect, and an answer that was cut", async () => {
    const { page } = await openTab(browser, url, "#/inspect");
    await page.getByLabel("Recorded answer").fill(ANTHROPIC);
    const said = page.getByRole("region", { name: "What the recording says" });
    await expect.poll(() => said.textContent()).toContain("anthropic-messages");
    expect(await said.textContent()).toContain("Half an ans");
    expect(await said.locator("[data-reason]").getAttribute("data-reason")).toBe("error_termination");
    expect(await said.textContent()).toContain("truncated");
  });

  it("does not claim to know what it does not, and takes text that is dropped", async () => {
    const { page } = await openTab(browser, url, "#/inspect");
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.setData("text/plain", "Just some words");
      return transfer;
    });
    await page.getByLabel("Recorded answer").dispatchEvent("drop", { dataTransfer: data });
    const said = page.getByRole("region", { name: "What the recording says" });
    await expect.poll(() => said.textContent()).toContain("Nothing in it was understood");
    expect(await page.getByLabel("Recorded answer").inputValue()).toBe("Just some words");
    await page.getByLabel("Recorded answer").fill(ANTHROPIC);
    await expect.poll(() => said.textContent()).toContain("anthropic-messages");
    expect(await said.textContent()).not.toContain("understood");
  });

  it("takes a file, and a dialect that somebody names", async () => {
    const { page } = await openTab(browser, url, "#/inspect");
    const buffer = Buffer.from('{"message":{"content":"Hi"},"done":true,"done_reason":"stop"}\n');
    await page.getByLabel("Choose a file").setInputFiles({ name: "answer.ndjson", mimeType: "text/plain", buffer });
    await page.getByLabel("Dialect").selectOption("ollama-chat");
    const said = page.getByRole("region", { name: "What the recording says" });
    await expect.poll(() => said.textContent()).toContain("ollama-chat");
    await page.getByRole("link", { name: "Live" }).click();
    await page.getByText("Nothing runs.").waitFor();
    await page.goBack();
    await expect.poll(() => said.textContent()).toContain("ollama-chat");
    expect(await said.locator("[data-reason]").getAttribute("data-reason")).toBe("natural_completion");
  });

  it("takes the same file once more after something else was looked at", async () => {
    const { page } = await openTab(browser, url, "#/inspect");
    const file = folder.write("answer.sse", ANTHROPIC);
    await page.getByLabel("Choose a file").waitFor({ state: "attached" });
    const said = page.getByRole("region", { name: "What the recording says" });
    // As somebody chooses it, and not with an event of the test's own.
    const tools = await page.context().newCDPSession(page);
    const { root } = await tools.send("DOM.getDocument");
    const { nodeId } = await tools.send("DOM.querySelector", { nodeId: root.nodeId, selector: "#file" });
    const choose = () => tools.send("DOM.setFileInputFiles", { nodeId, files: [file] });
    await choose();
    await expect.poll(() => said.textContent()).toContain("anthropic-messages");
    await page.getByRole("button", { name: "Try an example" }).click();
    await expect.poll(() => said.textContent()).toContain("openai-chat");
    await choose();
    await expect.poll(() => said.textContent()).toContain("anthropic-messages");
  });
});
