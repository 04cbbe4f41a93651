import type { IncomingMessage } from "node:http";
import { createGate, start, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { hashOf } from "../support/gateway.ts";
import { makeCertificate, startNginx } from "../support/nginx.ts";
import { readPage, snippetsOf } from "../support/pages.ts";
import { openScripted } from "../support/scripted.ts";

const KEY = "an-open-door";
const headers = { authorization: `Bearer ${KEY}` };
const body = { model: "openai-chat/m", stream: true, messages: [{ role: "user", content: "Hi" }] };

const folder = createFolder();
const gateway = await openScripted({ keys: [{ name: "ann", sha256: hashOf(KEY) }] });
makeCertificate(folder.path("models.pem"), folder.path("models.key"));

/** The configuration of the documentation, with files of this test in place of those of a machine. */
function documented(socket: string, buffering: string): string {
  const changes: readonly (readonly [string, string])[] = [
    ["server 127.0.0.1:8787;", `server ${new URL(gateway.url).host};`],
    ["proxy_buffering off;", `proxy_buffering ${buffering};`],
    ["listen 443 ssl;", `listen unix:${socket} ssl;`],
    ["/etc/ssl/models.example.org.pem", folder.path("models.pem")],
    ["/etc/ssl/models.example.org.key", folder.path("models.key")],
  ];
  let config = snippetsOf(readPage("docs/deployment.md"), "nginx")[0]?.code ?? "";
  for (const [written, used] of changes) {
    expect(config).toContain(written);
    config = config.replace(written, used);
  }
  return config;
}

/** Reads an answer until it has some words, and gives what came. */
async function readUntil(answer: IncomingMessage, words: string): Promise<string> {
  let read = "";
  for await (const chunk of answer.iterator({ destroyOnReturn: false })) {
    read += (chunk as Buffer).toString();
    if (read.includes(words)) break;
  }
  return read;
}

/** An answer whose second half waits. */
const inTwoHalves = ({ pass }: ReturnType<typeof createGate>) => [start(), text("Once upon"), pass, text(" a time")];

describe.each([
  { name: "as the documentation has it", buffering: "off" },
  { name: "that would collect what it passes on", buffering: "on" },
])("the gateway behind nginx $name", async ({ buffering }) => {
  const socket = folder.path(`${buffering}.sock`);
  const nginx = await startNginx(folder.path(buffering), documented(socket, buffering), socket);

  it("shows an answer as it comes", async () => {
    const gate = createGate();
    gateway.script("openai-chat", inTwoHalves(gate));
    const answer = await nginx.ask({ path: "/v1/chat/completions", headers, body });
    expect(answer.statusCode).toBe(200);
    expect(await readUntil(answer, "Once upon")).not.toContain(" a time");
    gate.open();
    expect(await readUntil(answer, " a time")).toContain(" a time");
  });

  it("shows the events of a generation as they come", async () => {
    const gate = createGate();
    gateway.script("openai-chat", inTwoHalves(gate));
    const answer = await nginx.ask({ path: "/v1/chat/completions", headers, body });
    const id = String(answer.headers["x-fullstop-generation-id"]);
    const events = await nginx.ask({ path: `/v1/generations/${id}/events?from=0`, headers });
    expect(await readUntil(events, "Once upon")).not.toContain(" a time");
    gate.open();
    expect(await readUntil(events, " a time")).toContain(" a time");
    answer.destroy();
  });

  it("stops the provider when the client leaves", async () => {
    const before = gateway.upstreams["openai-chat"].requests.length;
    gateway.script("openai-chat", [
      { type: "start", id: "1", model: "m" },
      text("Once upon"),
      () => new Promise<void>(() => undefined),
    ]);
    const answer = await nginx.ask({ path: "/v1/chat/completions", headers, body });
    await readUntil(answer, "Once upon");
    answer.destroy();
    expect(await gateway.upstreams["openai-chat"].requests[before]?.closed).toBe("gone");
  });

  it("keeps metrics from clients", async () => {
    const answer = await nginx.ask({ path: "/metrics", headers });
    expect(answer.statusCode).toBe(403);
    // Not by the gateway, which would ask for another key.
    expect(await readUntil(answer, "</html>")).toContain("nginx");
  });

  it("passes model names with slashes on in Gemini's addresses", async () => {
    gateway.script("openai-chat", { whole: [] });
    const answer = await nginx.ask({
      path: "/v1beta/models/openai-chat%2Fm:countTokens",
      headers,
      body: { contents: [{ parts: [{ text: "Hi" }] }] },
    });
    expect(answer.statusCode).toBe(200);
  });
});
