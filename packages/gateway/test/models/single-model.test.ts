import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { errorOf } from "../support/errors.ts";
import { get, hashOf, openGatewayForFile } from "../support/gateway.ts";

const KEYS = { alice: "key-of-alice", bob: "key-of-bob" };
const gateway = await openGatewayForFile({
  providers: { vllm: { baseUrl: "http://127.0.0.1:9/v1" } },
  models: { large: { provider: "vllm", model: "some-model" } },
  aliases: { "gpt-4o": "large" },
  keys: [
    { name: "alice", sha256: hashOf(KEYS.alice) },
    { name: "bob", sha256: hashOf(KEYS.bob), models: ["vllm/own/model", "pip"] },
  ],
});

/** The official clients, each asked for one model and for all of them. */
const CLIENTS = {
  openai: (apiKey: string) => {
    const { models } = new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    return {
      one: async (id: string) => (await models.retrieve(id)).id,
      all: async () => (await models.list()).data.map(({ id }) => id),
    };
  },
  anthropic: (apiKey: string) => {
    const { models } = new Anthropic({ apiKey, baseURL: gateway.url, maxRetries: 0 });
    return {
      one: async (id: string) => (await models.retrieve(id)).id,
      all: async () => (await models.list()).data.map(({ id }) => id),
    };
  },
  google: (apiKey: string) => {
    const { models } = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } });
    return {
      one: async (id: string) => (await models.get({ model: id })).name?.replace(/^models\//u, ""),
      all: async () => (await models.list()).page.map(({ name }) => name?.replace(/^models\//u, "")),
    };
  },
} as const;

describe.each(Object.keys(CLIENTS) as readonly (keyof typeof CLIENTS)[])("a model to the client of %s", (name) => {
  const { one, all } = CLIENTS[name](KEYS.alice);
  const bob = CLIENTS[name](KEYS.bob);

  it.each(["pip", "large", "gpt-4o", "vllm/any", "vllm/with/many/slashes"])("is there by its name: %s", async (id) => {
    expect(await one(id)).toBe(id);
  });

  it.each(["nothing", "nobody/model", "vllm"])("is not there: %s", async (id) => {
    const error = await errorOf(one(id));
    expect(error).toMatchObject({ isOfficial: true, status: 404 });
    expect(error.message).toContain(id);
  });

  it("is there for a key that may ask it, listed or not, and for no other", async () => {
    expect(await all()).toEqual(["pip", "large", "gpt-4o"]);
    expect(await bob.all()).toEqual(["vllm/own/model", "pip"]);
    expect(await bob.one("vllm/own/model")).toBe("vllm/own/model");
    const hidden = await errorOf(bob.one("large"));
    const missing = await errorOf(bob.one("absent"));
    expect(hidden.status).toBe(404);
    expect(hidden.message.replaceAll("large", "absent")).toBe(missing.message);
  });

  it("is for those who have a key", async () => {
    expect(await errorOf(CLIENTS[name]("wrong").one("pip"))).toMatchObject({ status: 401 });
  });
});

describe("a model's address", () => {
  const headers = { "x-api-key": KEYS.alice };

  it.each(["vllm/some-model", "vllm%2Fsome-model"])("takes a slash in any writing: %s", async (id) => {
    const expected = { id: "vllm/some-model", object: "model", type: "model", owned_by: "vllm" };
    expect(await get(`${gateway.url}/v1/models/${id}`, headers)).toMatchObject({ status: 200, body: expected });
    expect(await get(`${gateway.url}/v1beta/models/${id}`, headers)).toMatchObject({
      status: 200,
      body: { name: "models/vllm/some-model" },
    });
  });

  it("tells what is missing in the dialect of whoever asks", async () => {
    const url = `${gateway.url}/v1/models/nothing`;
    expect((await get(url, headers)).body).toMatchObject({
      error: { type: "invalid_request_error", code: "model_not_found" },
    });
    expect((await get(url, { ...headers, "anthropic-version": "2023-06-01" })).body).toMatchObject({
      type: "error",
      error: { type: "not_found_error" },
    });
    expect((await get(`${gateway.url}/v1beta/models/nothing`, headers)).body).toMatchObject({
      error: { code: 404, status: "NOT_FOUND" },
    });
  });
});
