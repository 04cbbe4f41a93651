import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { openGatewayForFile, post } from "../support/gateway.ts";

/** A provider's answer of which there is always more, and how much of it has been taken. */
interface Endless {
  readonly head: string;
  readonly more: string | (() => string);
}

const SIZE = 65_536;
/** More than anything may grow to, with what lies in buffers on the way. */
const MOST_TAKEN = 80 * 1024 * 1024;

const chunk = (delta: object): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
let calls = 0;
/** A call that begins, another one each time. */
const named = (name: string, others: object = { arguments: "{}" }): string =>
  chunk({ tool_calls: [{ index: (calls += 1), id: `call-${calls}`, function: { name, ...others } }] });
const chunks = (count: number, make: () => string): string => Array.from({ length: count }, make).join("");

const ENDLESS: Readonly<Record<string, Endless & { readonly detail: string }>> = {
  "a line of an event stream": { head: "data: ", more: "x".repeat(SIZE), detail: "event_too_large" },
  "a line of JSON in an event": {
    head: 'data: {"choices":[{"delta":{"content":"',
    more: "x".repeat(SIZE),
    detail: "event_too_large",
  },
  "a document": { head: '{"choices":[{"message":{"content":"', more: "x".repeat(SIZE), detail: "event_too_large" },
  "a list in a list": { head: "[{", more: '"a":['.repeat(SIZE / 5), detail: "event_too_large" },
  "a page": { head: "<!doctype html><title>Sign in</title>", more: "x".repeat(SIZE), detail: "not_an_answer" },
  "bytes that are no text": { head: "\u0001", more: "\u0000\u0001\u0002".repeat(SIZE / 3), detail: "event_too_large" },
  "an answer": { head: "", more: chunk({ content: "x".repeat(SIZE) }), detail: "size" },
  "an answer in very small pieces": { head: "", more: chunk({ content: "x" }).repeat(800), detail: "size" },
  thinking: { head: "", more: chunk({ reasoning_content: "x".repeat(SIZE) }), detail: "size" },
  "the names of tools": { head: "", more: () => named("x".repeat(100_000)), detail: "size" },
  "tools without arguments": { head: "", more: () => chunks(500, () => named("x", {})), detail: "size" },
  "tools of one id": {
    head: "",
    more: () => chunks(500, () => named("x").replace(/call-\d+/u, "call")),
    detail: "size",
  },
  "the arguments of a tool": {
    head: chunk({ tool_calls: [{ index: 0, id: "call", function: { name: "tool" } }] }),
    more: chunk({ tool_calls: [{ index: 0, function: { arguments: " ".repeat(SIZE) } }] }),
    detail: "size",
  },
};

const taken = new Map<string, number>();
const server = createServer((request, response) => {
  let json = "";
  request.on("data", (bytes: Buffer) => (json += bytes.toString()));
  request.on("end", () => void answer((JSON.parse(json) as { model: string }).model, response));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function answer(name: string, response: ServerResponse): Promise<void> {
  response.on("error", () => undefined);
  const over = once(response, "close").then(() => closed.get(name)?.());
  if (name === "packed") {
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
    response.end(gzipSync(chunk({ content: "x".repeat(30 * 1024 * 1024) })));
    return;
  }
  const { head, more } = ENDLESS[name] ?? { head: "", more: "" };
  response.writeHead(200, { "content-type": head.startsWith("data") ? "text/event-stream" : "application/json" });
  response.write(head);
  for (let sent = 0; !response.destroyed && sent < 2 * MOST_TAKEN;) {
    const piece = typeof more === "string" ? more : more();
    sent += piece.length;
    taken.set(name, sent);
    if (!response.write(piece)) await Promise.race([once(response, "drain"), over]);
  }
  response.end();
}

const closed = new Map<string, () => void>();
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
const gateway = await openGatewayForFile({
  providers: { up: { baseUrl } },
  limits: { maxAnswerBytes: 4 * 1024 * 1024 },
});

describe("a provider without end, in what it sends:", () => {
  it.each(Object.entries(ENDLESS))("%s", async (name, { detail }) => {
    const isGone = new Promise<void>((resolve) => closed.set(name, resolve));
    const question = { model: `up/${name}`, messages: [{ role: "user", content: "Hi" }] };
    const { body } = await post(`${gateway.url}/v1/chat/completions`, question);
    expect(JSON.stringify(body)).toContain(`"detail":"${detail}"`);
    // The connection is closed, and not read on.
    await isGone;
    expect(taken.get(name)).toBeLessThan(MOST_TAKEN);
  });
});

describe("an answer that is packed", () => {
  it("is not unpacked, because nobody has asked for that, and is none", async () => {
    const question = { model: "up/packed", messages: [{ role: "user", content: "Hi" }] };
    const { status, body } = await post(`${gateway.url}/v1/chat/completions`, question);
    expect(status).toBe(502);
    expect(JSON.stringify(body).length).toBeLessThan(3000);
  });
});

describe("all of that", () => {
  it("leaves a server that answers", async () => {
    expect(gateway.house.generations.live()).toEqual([]);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
  });
});
