import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

const dist = path.resolve(import.meta.dirname, "../../dist");

/** A page without a bundler: the library as it is built, imported as modules. */
const PAGE = `<!doctype html><meta charset="utf-8"><title>guard</title><pre id="text"></pre><p id="end"></p>
<script type="module">
  import { createGuardStream } from "/dist/adapters/web-streams/index.js";
  import { createFetch } from "/dist/adapters/fetch/index.js";
  const guard = createGuardStream({ stop: ["</answer>"], repetition: true });
  const response = await fetch("/text");
  const reader = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(guard).getReader();
  const shown = document.querySelector("#text");
  for (let read = await reader.read(); !read.done; read = await reader.read()) shown.textContent += read.value;
  const guarded = createFetch({ stop: ["</answer>"] });
  const body = JSON.stringify({ model: "m", stream: true, messages: [] });
  const chat = await guarded("/v1/chat/completions", { method: "POST", body });
  const frames = await chat.text();
  const { reason } = await guarded.signalOf(chat);
  document.querySelector("#end").textContent = [guard.signal.reason, reason, frames.includes("SECRET")].join(" ");
</script>`;

const gone: Promise<void>[] = [];
const server = createServer((request, response) => {
  const url = request.url ?? "";
  if (url.startsWith("/dist/")) {
    response.setHeader("content-type", "text/javascript");
    createReadStream(path.join(dist, url.slice("/dist/".length)))
      .on("error", () => response.writeHead(404).end())
      .pipe(response);
  } else if (url === "/text" || url === "/v1/chat/completions") {
    // Never ended by the server: only a reader who leaves closes it.
    gone.push(new Promise((resolve) => void response.on("close", resolve)));
    const pieces = ["The answer is wörld</an", "swer> SECRET"];
    for (const piece of pieces) response.write(url === "/text" ? piece : frameOf(piece));
  } else response.setHeader("content-type", "text/html").end(PAGE);
});

function frameOf(content: string): string {
  return `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta: { content } }] })}\n\n`;
}

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it("guards streams in a browser, without a bundler", async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await expect.poll(() => page.locator("#end").textContent()).toBe("stop_sequence stop_sequence false");
    expect(await page.locator("#text").textContent()).toBe("The answer is wörld");
    expect(problems).toEqual([]);
    // Both connections are closed by the stops, on the page's side.
    expect(gone.length).toBe(2);
    await Promise.all(gone);
  } finally {
    await browser.close();
  }
});
