import { finish, start, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { Gatekeeper } from "../../src/access/gatekeeper.ts";
import { parseConfig } from "../../src/config/config.ts";
import { createServer } from "../../src/server.ts";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { hashOf } from "../support/gateway.ts";
import { createLogLines } from "../support/log-lines.ts";
import { fetchMetrics } from "../support/metrics.ts";
import { PROVIDER_KEY, openScripted } from "../support/scripted.ts";
import type { Reply } from "../support/upstream.ts";
import { registerTracing } from "../support/tracing.ts";

const KEY = "open-sesame-alice";
const WRONG = "close-sesame-mallory";
const SECRET = /sesame|quiet-harbour/u;

const tracing = registerTracing();
const log = createLogLines();
const gateway = await openScripted(
  { keys: [{ name: "alice", sha256: hashOf(KEY), operator: true }], logs: { level: "trace", content: true } },
  {},
  log,
);

const PATHS: Readonly<Record<Dialect, string>> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  "anthropic-messages": "/v1/messages",
  gemini: "/v1beta/models/openai-chat/m:generateContent",
};

const BODIES: Readonly<Record<Dialect, object>> = {
  "openai-chat": { model: "openai-chat/m", messages: [{ role: "user", content: "Hi" }] },
  "openai-responses": { model: "openai-chat/m", input: "Hi" },
  "anthropic-messages": { model: "openai-chat/m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
  gemini: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
};

/** A key everywhere that a client may put it. */
const headersWith = (key: string) => ({
  authorization: `Bearer ${key}`,
  "x-api-key": key,
  "x-goog-api-key": key,
  "proxy-authorization": `Basic ${key}`,
  cookie: `key=${key}`,
  "user-agent": key,
});

const quoting: readonly (readonly [string, Reply])[] = [
  ["an answer", [start(), text("Hello"), finish()]],
  [
    "a refusal that quotes the key",
    { status: 401, body: { error: { message: `Bad key ${PROVIDER_KEY}`, code: PROVIDER_KEY } } },
  ],
  ["a page that quotes the key", { status: 500, body: `<h1>${PROVIDER_KEY}</h1>` }],
  ["a stream that breaks", { cutAt: 40, steps: [start(), text("Hello"), finish()], by: "reset" }],
  [
    "an error in the stream",
    [start(), { raw: `data: {"error":{"message":"${PROVIDER_KEY}","type":"${PROVIDER_KEY}"}}\n\n` }],
  ],
];

async function send(dialect: Dialect, body: string, key: string): Promise<string> {
  const url = `${gateway.url}${PATHS[dialect]}?key=${key}`;
  const response = await fetch(url, { method: "POST", headers: headersWith(key), body });
  return JSON.stringify([...response.headers]) + (await response.text());
}

/** Everything that operators can see. */
async function seen(): Promise<string> {
  const metrics = await fetchMetrics(gateway.url, { "x-api-key": KEY });
  const spans = tracing.spans().map(({ name, attributes, events, status }) => [name, attributes, events, status]);
  return log.text() + metrics + JSON.stringify(spans);
}

describe.each(DIALECTS)("a key in every place, for a client of %s", (dialect) => {
  it.each(quoting)("is nowhere after %s", async (_, reply) => {
    gateway.script("openai-chat", reply);
    const before = log.lines().length;
    expect(await send(dialect, JSON.stringify(BODIES[dialect]), KEY)).not.toMatch(SECRET);
    expect(log.lines().length).toBeGreaterThan(before);
    expect(await seen()).not.toMatch(SECRET);
  });

  it.each([
    ["a key that is not known", JSON.stringify(BODIES[dialect]), WRONG],
    ["a body that is not JSON but the key", KEY, KEY],
    [
      "a body that has the key where it cannot be",
      JSON.stringify({ ...BODIES[dialect], fullstop: { [KEY]: KEY } }),
      KEY,
    ],
    ["settings that are the key", JSON.stringify({ ...BODIES[dialect], fullstop: KEY }), KEY],
  ])("is nowhere after %s", async (_, body, key) => {
    const before = log.lines().length;
    expect(await send(dialect, body, key)).not.toMatch(SECRET);
    expect(log.lines().length).toBeGreaterThan(before);
    expect(await seen()).not.toMatch(SECRET);
  });
});

describe("a key", () => {
  it("is not in the log of a mistake of the gateway's own", async () => {
    class BrokenGatekeeper extends Gatekeeper {
      override admit(): never {
        throw new Error(`Invalid header: ${KEY}, ${PROVIDER_KEY}`);
      }
    }
    const broken = { ...gateway.house, gatekeeper: new BrokenGatekeeper([], parseConfig({})) };
    const app = createServer(broken, parseConfig({}));
    const response = await app.inject({ method: "POST", url: `/v1/messages?key=${KEY}`, headers: headersWith(KEY) });
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toMatch(SECRET);
    expect(log.lines().at(-1)).toMatchObject({ error: { message: "Invalid header: [redacted], [redacted]" } });
    expect(await seen()).not.toMatch(SECRET);
    await app.close();
  });

  it("is not in an answer about an address that has it", async () => {
    const response = await fetch(`${gateway.url}/v1/generations/${KEY}?key=${KEY}`, { headers: headersWith(KEY) });
    expect(await response.text()).not.toMatch(SECRET);
    const nowhere = await fetch(`${gateway.url}/${KEY}`, { headers: headersWith(KEY) });
    expect(await nowhere.text()).not.toMatch(SECRET);
    expect(await seen()).not.toMatch(SECRET);
  });
});
