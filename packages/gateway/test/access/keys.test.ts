import { finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { Gatekeeper } from "../../src/access/gatekeeper.ts";
import { CLIENTS } from "../support/clients.ts";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { errorOf } from "../support/errors.ts";
import { get, hashOf, openGatewayForFile, post } from "../support/gateway.ts";
import { PROVIDER_KEY, openScripted } from "../support/scripted.ts";

const KEYS = { alice: "open-sesame-alice", bob: "open-sesame-bob" };

const gateway = await openScripted({
  models: { small: { provider: "openai-chat", model: "some-model" } },
  keys: [
    { name: "alice", sha256: hashOf(KEYS.alice) },
    { name: "bob", sha256: hashOf(KEYS.bob), models: ["small", "gemini/some-model"] },
  ],
});
for (const dialect of DIALECTS) gateway.script(dialect, [start(), text("Hello"), usage(9, 4), finish()]);

const PATHS: Readonly<Record<Dialect, string>> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  "anthropic-messages": "/v1/messages",
  gemini: "/v1beta/models/small:generateContent",
};

const UNKNOWN: Readonly<Record<Dialect, object>> = {
  "openai-chat": { error: { type: "invalid_request_error", code: "invalid_api_key" } },
  "openai-responses": { error: { type: "invalid_request_error", code: "invalid_api_key" } },
  "anthropic-messages": { type: "error", error: { type: "authentication_error" } },
  gemini: { error: { code: 401, status: "UNAUTHENTICATED" } },
};

const FORBIDDEN: Readonly<Record<Dialect, object>> = {
  "openai-chat": { error: { type: "permission_error", code: "permission" } },
  "openai-responses": { error: { type: "permission_error", code: "permission" } },
  "anthropic-messages": { type: "error", error: { type: "permission_error" } },
  gemini: { error: { code: 403, status: "PERMISSION_DENIED" } },
};

const BODIES: Readonly<Record<Dialect, object>> = {
  "openai-chat": { model: "openai-chat/other", messages: [{ role: "user", content: "Hi" }] },
  "openai-responses": { model: "openai-chat/other", input: "Hi" },
  "anthropic-messages": { model: "openai-chat/other", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
  gemini: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
};

describe.each(DIALECTS)("a key, for a client of %s", (dialect) => {
  const url = `${gateway.url}${PATHS[dialect]}`;
  const { generations } = gateway.house;

  it("opens the door where it is known", async () => {
    const told = await CLIENTS[dialect](gateway.url, KEYS.alice)({ model: "small", stream: true });
    expect(told.text).toBe("Hello");
    expect((await generations.find(told.generationId))?.owner).toBe("alice");
  });

  it("does not go to the provider, which gets its own", async () => {
    await CLIENTS[dialect](gateway.url, KEYS.alice)({ model: "small", stream: false });
    const headers = JSON.stringify(gateway.upstreams["openai-chat"].requests.at(-1)?.headers);
    expect(headers).toContain(PROVIDER_KEY);
    expect(headers).not.toContain(KEYS.alice);
  });

  it("is refused where it is not known, and not repeated", async () => {
    const wrong = `${KEYS.alice}!`;
    const error = await errorOf(CLIENTS[dialect](gateway.url, wrong)({ model: "small", stream: true }));
    expect(error).toMatchObject({ isOfficial: true, status: 401 });
    const headers = { authorization: `Bearer ${wrong}` };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(BODIES[dialect]) });
    const body = await response.text();
    expect(response.status).toBe(401);
    expect(JSON.parse(body)).toMatchObject(UNKNOWN[dialect]);
    expect(body + JSON.stringify([...response.headers])).not.toMatch(/open-sesame|quiet-harbour/u);
  });

  it("is asked for where there is none, before anything else is looked at", async () => {
    const { status, body } = await post(url, { nothing: true });
    expect(status).toBe(401);
    expect(body).toMatchObject(UNKNOWN[dialect]);
  });

  it("is good for its own models only", async () => {
    const headers = { authorization: `Bearer ${KEYS.bob}` };
    // Gemini's clients name the model in the address.
    const { status, body } = await post(url.replace("/small:", "/openai-chat/other:"), BODIES[dialect], headers);
    expect(status).toBe(403);
    expect(body).toMatchObject(FORBIDDEN[dialect]);
    expect(JSON.stringify(body)).toContain("small");
    const own = await CLIENTS[dialect](gateway.url, KEYS.bob)({ model: "small", stream: false });
    expect(own.text).toBe("Hello");
  });

  it("of the provider is in nothing that a client gets", async () => {
    gateway.script("openai-chat", {
      status: 401,
      headers: { "x-seen": PROVIDER_KEY },
      body: { error: { message: `Incorrect API key provided: ${PROVIDER_KEY}`, type: "invalid_request_error" } },
    });
    const headers = { authorization: `Bearer ${KEYS.alice}` };
    const body = { ...BODIES[dialect], ...(dialect !== "gemini" && { model: "small" }) };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    expect(response.status).toBe(401);
    const received = (await response.text()) + JSON.stringify([...response.headers]);
    expect(received).not.toMatch(/open-sesame|quiet-harbour/u);
    gateway.script("openai-chat", [start(), text("Hello"), usage(9, 4), finish()]);
  });
});

describe("a key for all models of a provider", async () => {
  const key = "kind-lantern-4";
  const wide = await openScripted({
    models: { small: { provider: "gemini", model: "m" }, "gemini/named": { defaults: {} } },
    keys: [{ name: "carol", sha256: hashOf(key), models: ["gemini/*"] }],
  });
  wide.script("gemini", [start(), text("Hello"), usage(9, 4), finish()]);
  const ask = (model: string) => CLIENTS["openai-chat"](wide.url, key)({ model, stream: false });

  it("may ask any of them and no other", async () => {
    expect((await ask("gemini/any-model")).text).toBe("Hello");
    for (const model of ["small", "pip", "gemini/", "openai-chat/m"]) {
      expect(await errorOf(ask(model))).toMatchObject({ isOfficial: true, status: 403 });
    }
  });

  it("has those of them in its list that have a name, and no pattern", async () => {
    const { body } = await get(`${wide.url}/v1/models`, { "x-api-key": key });
    expect((body as { data: readonly { id: string }[] }).data.map(({ id }) => id)).toContain("gemini/named");
    expect(JSON.stringify(body)).not.toMatch(/\*|pip|small/u);
    expect((await get(`${wide.url}/v1/models/gemini/other`, { "x-api-key": key })).status).toBe(200);
    expect((await get(`${wide.url}/v1/models/pip`, { "x-api-key": key })).status).toBe(404);
  });
});

describe("the list of models", () => {
  it("has those that a key is for", async () => {
    const list = async (key: string, path: string) =>
      JSON.stringify((await get(`${gateway.url}${path}`, { "x-api-key": key })).body);
    for (const path of ["/v1/models", "/v1beta/models"]) {
      expect(await list(KEYS.alice, path)).toMatch(/pip.*small/u);
      expect(await list(KEYS.bob, path)).toContain("small");
      expect(await list(KEYS.bob, path)).not.toContain("pip");
    }
  });

  it("is refused in the words of whoever asks", async () => {
    const ask = async (path: string, headers = {}) => (await get(`${gateway.url}${path}`, headers)).body;
    expect(await ask("/v1/models")).toMatchObject(UNKNOWN["openai-chat"]);
    expect(await ask("/v1/models", { "anthropic-version": "2023-06-01" })).toMatchObject(UNKNOWN["anthropic-messages"]);
    expect(await ask("/v1beta/models")).toMatchObject(UNKNOWN.gemini);
  });
});

describe("a gatekeeper", () => {
  const keeper = new Gatekeeper([{ name: "alice", sha256: hashOf(KEYS.alice), operator: true }]);

  it.each([
    { authorization: `Bearer ${KEYS.alice}` },
    { authorization: `bearer  ${KEYS.alice}` },
    { "x-api-key": KEYS.alice },
    { "x-goog-api-key": KEYS.alice },
  ])("finds a key in %j", (headers) => {
    expect(keeper.admit({ headers })).toMatchObject({ name: "alice", isOperator: true, models: undefined });
  });

  it.each([
    {},
    { authorization: KEYS.alice },
    { authorization: `Basic ${KEYS.alice}` },
    { authorization: "Bearer " },
    { authorization: `Bearer ${hashOf(KEYS.alice)}` },
    { "x-api-key": "" },
    { "x-api-key": KEYS.alice.slice(0, -1) },
    { "x-api-key": KEYS.alice.toUpperCase() },
  ])("lets nobody in with %j", (headers) => {
    expect(() => keeper.admit({ headers })).toThrow(/key/u);
  });

  it("keeps no key, only hashes", () => {
    expect(JSON.stringify(keeper)).not.toContain(KEYS.alice);
  });
});

describe("a gateway without keys", async () => {
  const open = await openGatewayForFile();
  const { host } = new URL(open.url);

  it.each([
    ["a program of this machine", { host }, 200],
    ["a page of its own", { host, origin: `http://${host}` }, 200],
    ["a page under another name of this machine", { host: "localhost:1234" }, 200],
    ["a page of another site", { host, origin: "https://example.com" }, 403],
    ["a page of another server on this machine", { host, origin: "http://127.0.0.1:1" }, 403],
    ["a page that nobody may know of", { host, origin: "null" }, 403],
    ["a page whose name was made to stand for this machine", { host: "evil.example" }, 403],
    ["a page whose name looks like this machine", { host: "127.0.0.1.evil.example" }, 403],
  ])("is for %s: %j", (_, headers, status) => {
    const { gatekeeper } = open.house;
    const admit = () => gatekeeper.admit({ headers });
    if (status === 200) expect(admit()).toMatchObject({ isOperator: true });
    else expect(admit).toThrow("only programs of this machine");
  });

  it("refuses what a page of another site sends", async () => {
    const { status, body } = await post(`${open.url}${PATHS["openai-chat"]}`, {}, { origin: "https://example.com" });
    expect(status).toBe(403);
    expect(body).toMatchObject(FORBIDDEN["openai-chat"]);
  });
});
