import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { ollama } from "fullstop/engines";
import { afterAll, describe, expect, it } from "vitest";
import { ProviderCatalogue } from "../../src/models/provider-catalogue.ts";
import { get, hashOf, openGatewayForFile } from "../support/gateway.ts";

const PROVIDER_KEY = "quiet-harbour-1729";
const asked: string[] = [];
const LISTS: Readonly<Record<string, unknown>> = {
  "/v1/models": { object: "list", data: [{ id: "large" }, { id: "named" }, { id: 7 }, {}] },
  "/anthropic/models?limit=1000": { data: [{ type: "model", id: "claude" }], has_more: false },
  "/v1beta/models?pageSize=1000": { models: [{ name: "models/gemini-pro" }] },
  "/api/tags": { models: [{ name: "qwen3:0.6b", model: "qwen3:0.6b" }] },
  "/odd/models": { nothing: true },
};
const server = createServer(({ url = "", headers, method }, response) => {
  const isKnown = JSON.stringify(headers).includes(PROVIDER_KEY) || url === "/api/tags";
  asked.push(`${method} ${url} ${isKnown}`);
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(LISTS[url] ?? null));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterAll(() => server.close());
const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const keyed = { apiKeyEnv: "PROVIDER_KEY" };

const lines: string[] = [];
const gateway = await openGatewayForFile(
  {
    providers: {
      chat: { baseUrl: `${root}/v1`, ...keyed },
      messages: { baseUrl: `${root}/anthropic`, dialect: "anthropic-messages", ...keyed },
      google: { baseUrl: `${root}/v1beta`, dialect: "gemini", ...keyed },
      home: { baseUrl: root, dialect: "ollama-chat" },
      quiet: { baseUrl: `${root}/quiet`, listModels: false },
      callers: { baseUrl: `${root}/callers`, callerKey: true },
      odd: { baseUrl: `${root}/odd` },
      away: { baseUrl: "http://127.0.0.1:1/v1" },
    },
    models: { "chat/named": { defaults: {} } },
    keys: [
      { name: "alice", sha256: hashOf("alice") },
      { name: "bob", sha256: hashOf("bob"), models: ["pip", "google/*", "chat/large", "chat/unlisted"] },
    ],
  },
  { PROVIDER_KEY },
  { write: (line: string) => void lines.push(line) },
);

const ALL = ["pip", "chat/named", "chat/large", "messages/claude", "google/gemini-pro", "home/qwen3:0.6b"];

const idsFor = async (key: string): Promise<readonly string[]> => {
  const { body } = await get(`${gateway.url}/v1/models`, { "x-api-key": key });
  return (body as { data: readonly { id: string }[] }).data.map(({ id }) => id);
};

describe("the list of models", () => {
  it("has those of providers that can be asked, each of them asked once", async () => {
    const [first, second] = await Promise.all([idsFor("alice"), idsFor("alice")]);
    expect([first, second, await idsFor("alice")]).toEqual([ALL, ALL, ALL]);
    expect(asked.toSorted()).toEqual([
      "GET /anthropic/models?limit=1000 true",
      "GET /api/tags true",
      "GET /odd/models false",
      "GET /v1/models true",
      "GET /v1beta/models?pageSize=1000 true",
    ]);
  });

  it("has for a key only what it is for", async () => {
    expect(await idsFor("bob")).toEqual(["pip", "chat/large", "chat/unlisted", "google/gemini-pro"]);
  });

  it("tells the log once who does not say it, without any key", async () => {
    await idsFor("alice");
    const told = lines.filter((line) => line.includes("does not say which models"));
    expect(told.map((line) => (JSON.parse(line) as { provider: string }).provider).toSorted()).toEqual(["away", "odd"]);
    expect(lines.join("")).not.toContain(PROVIDER_KEY);
  });

  it("is understood by the official clients", async () => {
    const openai = new OpenAI({ apiKey: "alice", baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const ids: string[] = [];
    for await (const { id } of openai.models.list()) ids.push(id);
    const anthropic = new Anthropic({ apiKey: "alice", baseURL: gateway.url, maxRetries: 0 });
    const names: string[] = [];
    for await (const { id } of anthropic.models.list()) names.push(id);
    const google = new GoogleGenAI({ apiKey: "alice", httpOptions: { baseUrl: gateway.url } });
    const models: string[] = [];
    for await (const { name = "" } of await google.models.list()) models.push(name.replace("models/", ""));
    expect([ids, names, models]).toEqual([ALL, ALL, ALL]);
  });
});

describe("a catalogue of providers", () => {
  it("asks again when a list is old, and sooner where there was none", async () => {
    let time = 0;
    let count = 0;
    let isUp = false;
    const catalogue = new ProviderCatalogue({
      providers: [{ name: "home", provider: ollama({ baseUrl: root }) }],
      fetch: (url, init) => {
        count += 1;
        return isUp ? fetch(url, init) : Promise.reject(new Error("away"));
      },
      now: () => time,
      onFailure: () => undefined,
    });
    expect([await catalogue.list(), await catalogue.list(), count]).toEqual([[], [], 1]);
    isUp = true;
    time += 60_000;
    expect(await catalogue.list()).toEqual([{ id: "home/qwen3:0.6b", provider: "home" }]);
    time += 60_000;
    await catalogue.list();
    expect(count).toBe(2);
    time += 240_000;
    await catalogue.list();
    expect(count).toBe(3);
  });
});
