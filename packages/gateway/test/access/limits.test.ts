import { createGate, finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import type { Limits } from "../../src/access/limits.ts";
import { CLIENTS } from "../support/clients.ts";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { errorOf } from "../support/errors.ts";
import { hashOf, post, whenWriting } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";
import { bodyOf, pathOf } from "../support/small-requests.ts";

const MODEL = "openai-chat/some-model";
const ANSWER = [start(), text("Hello"), usage(60, 40), finish()];

const PRICES = { perMillionInputTokens: 10_000, perMillionOutputTokens: 20_000, perMillionCachedInputTokens: 1000 };

const DEAR = { perMillionInputTokens: 100_000, perMillionOutputTokens: 200_000 };

/** A gateway with a key for each set of limits, which is the name of it. */
async function openLimited(keys: Readonly<Record<string, Limits>>, more: object = {}) {
  const gateway = await openScripted({
    keys: Object.entries(keys).map(([name, limits]) => ({ name, sha256: hashOf(name), limits })),
    models: { [MODEL]: { prices: PRICES }, "gemini/dear": { prices: DEAR } },
    ...more,
  });
  const ask = (key: string, body: object = {}, dialect: Dialect = "openai-chat") =>
    post(`${gateway.url}${pathOf(dialect, MODEL)}`, { ...bodyOf(dialect, MODEL), ...body }, { "x-api-key": key });
  return { ...gateway, ask, upstream: gateway.upstreams["openai-chat"] };
}

const TOO_MUCH: Readonly<Record<Dialect, object>> = {
  "openai-chat": { error: { type: "rate_limit_error", code: "rate_limit_exceeded" } },
  "openai-responses": { error: { type: "rate_limit_error", code: "rate_limit_exceeded" } },
  "anthropic-messages": { type: "error", error: { type: "rate_limit_error" } },
  gemini: { error: { code: 429, status: "RESOURCE_EXHAUSTED" } },
};

describe.each(DIALECTS)("a key that has reached its limit, for a client of %s", async (dialect) => {
  const gateway = await openLimited({
    "key-by-client": { requestsPerMinute: 1 },
    "key-by-hand": { requestsPerMinute: 1 },
  });
  gateway.script("openai-chat", ANSWER);

  it("is refused by its client's own error", async () => {
    const ask = CLIENTS[dialect](gateway.url, "key-by-client");
    expect((await ask({ model: MODEL, stream: true })).text).toBe("Hello");
    for (const stream of [true, false]) {
      const error = await errorOf(ask({ model: MODEL, stream }));
      expect(error).toMatchObject({ isOfficial: true, status: 429 });
      expect(error.message).toMatch(/limit of 1 requests a minute \(requestsPerMinute\)/u);
    }
  });

  it("is told when to come again, and nothing is started", async () => {
    expect((await gateway.ask("key-by-hand", {}, dialect)).status).toBe(200);
    const before = gateway.upstream.requests.length;
    const { status, body, headers } = await gateway.ask("key-by-hand", {}, dialect);
    expect(status).toBe(429);
    expect(body).toMatchObject(TOO_MUCH[dialect]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(60);
    expect(headers.get("x-fullstop-generation-id")).toBeNull();
    expect(gateway.upstream.requests).toHaveLength(before);
  });
});

describe("a limit of generations at once", async () => {
  const gateway = await openLimited({ one: { concurrent: 1 }, another: { concurrent: 1 } });

  async function startWaiting(onDisconnect: string) {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("Hello"), gate.pass, usage(9, 4), finish()]);
    const reader = new AbortController();
    const response = await fetch(`${gateway.url}${pathOf("openai-chat", MODEL)}`, {
      method: "POST",
      headers: { "x-api-key": "one" },
      signal: reader.signal,
      body: JSON.stringify({ ...bodyOf("openai-chat", MODEL), stream: true, fullstop: { onDisconnect } }),
    });
    const generation = await whenWriting(gateway);
    gateway.script("openai-chat", ANSWER);
    return { gate, reader, response, generation };
  }

  it("holds while one runs", async () => {
    const { gate, response } = await startWaiting("stop");
    const { status, headers, body } = await gateway.ask("one");
    expect({ status, retryAfter: headers.get("retry-after") }).toEqual({ status: 429, retryAfter: "1" });
    expect(JSON.stringify(body)).toContain("limit of 1 generations at once (concurrent)");
    expect((await gateway.ask("another")).status).toBe(200);
    gate.open();
    await response.text();
    expect((await gateway.ask("one")).status).toBe(200);
  });

  it("holds until the generation has ended, not until its reader leaves", async () => {
    const { gate, reader, generation } = await startWaiting("continue");
    const gone = gateway.nextDisconnect();
    reader.abort();
    await gone;
    expect((await gateway.ask("one")).status).toBe(429);
    gate.open();
    await generation.ended;
    expect((await gateway.ask("one")).status).toBe(200);
  });

  it("has room again when the one that runs was stopped", async () => {
    const { reader, generation } = await startWaiting("stop");
    reader.abort();
    expect(await generation.ended).toMatchObject({ reason: "cancelled" });
    expect((await gateway.ask("one")).status).toBe(200);
  });
});

describe("a budget of tokens", async () => {
  const NAMES = ["whole", "stopped", "failed", "left", "late", "free"];
  const gateway = await openLimited(Object.fromEntries(NAMES.map((name) => [name, { tokensPerDay: 100 }])));

  it("is used up by input and output together", async () => {
    gateway.script("openai-chat", [start(), text("Hello"), usage(60, 39), finish()]);
    expect((await gateway.ask("whole")).status).toBe(200);
    expect((await gateway.ask("whole")).status).toBe(200);
    const { status, body, headers } = await gateway.ask("whole");
    expect(status).toBe(429);
    expect(JSON.stringify(body)).toMatch(/budget of 100 tokens a day \(tokensPerDay\).*T00:00:00\.000Z/u);
    expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(86_400);
  });

  it("is used up by an answer that was stopped", async () => {
    gateway.script("openai-chat", [start(), text("x".repeat(400)), text("STOP"), text("more"), usage(1, 1), finish()]);
    expect((await gateway.ask("stopped", { stop: "STOP" })).status).toBe(200);
    expect((await gateway.ask("stopped")).status).toBe(429);
  });

  it("is used up by an answer that has failed on its way", async () => {
    gateway.script("openai-chat", [start(), text("x".repeat(400))]);
    expect((await gateway.ask("failed")).status).toBeGreaterThanOrEqual(500);
    expect((await gateway.ask("failed")).status).toBe(429);
  });

  it.each([
    ["left", "was stopped", { onDisconnect: "stop" }],
    ["late", "ran out of time", { maxMilliseconds: 50 }],
  ])("is used up by a long prompt of %s, whose answer %s before its first word", async (key, _, fullstop) => {
    gateway.script("openai-chat", { silent: true });
    const before = gateway.upstream.requests.length;
    const messages = [{ role: "user", content: "x".repeat(800) }];
    const answer = gateway.ask(key, { messages, fullstop });
    while (gateway.upstream.requests.length === before) await new Promise((resolve) => setImmediate(resolve));
    if (key === "left") await post(`${gateway.url}/v1/generations/stop`, {}, { "x-api-key": key });
    await answer;
    gateway.script("openai-chat", ANSWER);
    expect((await gateway.ask(key)).status).toBe(429);
  });

  it("is not used up by what never began", async () => {
    gateway.script("openai-chat", { status: 500 });
    for (let count = 0; count < 3; count += 1) expect((await gateway.ask("free")).status).toBe(500);
    expect((await gateway.ask("free", { fullstop: 7 })).status).toBe(400);
    gateway.script("openai-chat", ANSWER);
    expect((await gateway.ask("free")).status).toBe(200);
  });
});

describe("a budget of money", async () => {
  const gateway = await openLimited(
    {
      rich: { costPerDay: 1.5 },
      careful: { costPerDay: 1.5 },
      cached: { costPerDay: 1.5 },
      other: { costPerDay: 1.5 },
    },
    { fallbacks: { [MODEL]: ["gemini/dear"], "gemini/dear": ["gemini/unpriced"] } },
  );

  it("is used up by what tokens cost", async () => {
    // 60 tokens of input at 0.01, 40 of output at 0.02: 1.4.
    gateway.script("openai-chat", ANSWER);
    expect((await gateway.ask("rich")).status).toBe(200);
    expect((await gateway.ask("rich")).status).toBe(200);
    const { status, body } = await gateway.ask("rich");
    expect(status).toBe(429);
    expect(JSON.stringify(body)).toContain("The budget of money, 1.5 a day (costPerDay), is used up");
  });

  it("is used up less by what the provider had in its cache", async () => {
    // 20 tokens of input at 0.01, 40 from the cache at 0.001, 25 of output at 0.02: 0.74. Without a cache: 1.1.
    gateway.script("openai-chat", [start(), text("Hi"), usage(60, 25, { cachedInputTokens: 40 }), finish()]);
    for (let count = 0; count < 3; count += 1) expect((await gateway.ask("cached")).status).toBe(200);
    expect((await gateway.ask("cached")).status).toBe(429);
  });

  it("is used up by the prices of the model that has answered", async () => {
    gateway.script("openai-chat", { status: 500 });
    // 6 tokens of input at 0.1, 5 of output at 0.2: 1.6. At the prices of the model that was asked first: 0.16.
    gateway.script("gemini", [start(), text("Hello"), usage(6, 5), finish()]);
    expect((await gateway.ask("other")).status).toBe(200);
    expect((await gateway.ask("other")).status).toBe(429);
  });

  it.each(["openai-chat/other-model", "gemini/dear"])("is not for %s, whose price may be unknown", async (model) => {
    const before = gateway.upstream.requests.length;
    const { status, body } = await gateway.ask("careful", { model });
    expect(status).toBe(403);
    expect(JSON.stringify(body)).toMatch(/costPerDay.*no prices/u);
    expect(gateway.upstream.requests).toHaveLength(before);
  });
});

describe("a server that runs as many generations as it may", async () => {
  const OVERLOADED: Readonly<Record<Dialect, { status: number; body: object }>> = {
    "openai-chat": { status: 503, body: { error: { type: "overloaded_error", code: "overloaded" } } },
    "openai-responses": { status: 503, body: { error: { type: "overloaded_error", code: "overloaded" } } },
    "anthropic-messages": { status: 529, body: { type: "error", error: { type: "overloaded_error" } } },
    gemini: { status: 503, body: { error: { code: 503, status: "UNAVAILABLE" } } },
  };

  it("says so in each dialect, to everybody", async () => {
    const gateway = await openLimited({}, { limits: { concurrent: 1 } });
    const gate = createGate();
    gateway.script("openai-chat", [start(), gate.pass, ...ANSWER.slice(1)]);
    const first = gateway.ask("nobody");
    await gate.reached;
    for (const dialect of DIALECTS) {
      const { status, body, headers } = await gateway.ask("nobody", {}, dialect);
      expect({ status, body }).toMatchObject(OVERLOADED[dialect]);
      expect(headers.get("retry-after")).toBe("1");
    }
    gate.open();
    expect((await first).status).toBe(200);
    expect((await gateway.ask("nobody")).status).toBe(200);
  });
});

describe("a gateway without keys", () => {
  it("may limit all who come", async () => {
    const gateway = await openLimited({}, { anonymous: { requestsPerMinute: 1 } });
    gateway.script("openai-chat", ANSWER);
    expect((await gateway.ask("somebody")).status).toBe(200);
    expect((await gateway.ask("somebody else")).status).toBe(429);
  });
});
