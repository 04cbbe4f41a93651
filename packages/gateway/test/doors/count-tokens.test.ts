import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { errorOf } from "../support/errors.ts";
import { hashOf, openGatewayForFile, post } from "../support/gateway.ts";
import { CLIENTS } from "../support/clients.ts";
import { openPlainServer, sendJson } from "../support/plain-server.ts";

const KEY = "quiet-harbour-1729";

/** Counts for every dialect, says what it was asked, and refuses a model called `refused`. */
const provider = await openPlainServer(({ path, body }, response) => {
  if (path.startsWith("/nothing/")) sendJson(response, 404, {});
  else if (JSON.stringify(body).includes("refused") || path.includes("refused")) {
    sendJson(response, 400, { error: { message: `No, ${KEY}`, type: "invalid_request_error" } });
  } else if (path.endsWith("/count_tokens")) sendJson(response, 200, { input_tokens: 71 });
  else if (path.endsWith("/input_tokens"))
    sendJson(response, 200, { object: "response.input_tokens", input_tokens: 72 });
  else if (path.endsWith(":countTokens")) sendJson(response, 200, { totalTokens: 73 });
  else sendJson(response, 404, {});
});
const { requests } = provider;

const speaker = (dialect: string) => ({ dialect, baseUrl: `${provider.url}/v1`, apiKeyEnv: "PROVIDER_KEY" });
const gateway = await openGatewayForFile(
  {
    models: { pip: { local: "pip", threads: 1 } },
    providers: {
      messages: speaker("anthropic-messages"),
      responses: speaker("openai-responses"),
      gemini: speaker("gemini"),
      chat: speaker("openai-chat"),
      old: { ...speaker("anthropic-messages"), baseUrl: `${provider.url}/nothing` },
    },
  },
  { PROVIDER_KEY: KEY },
);

const anthropic = new Anthropic({ apiKey: "none", baseURL: gateway.url, maxRetries: 0 });
const openai = new OpenAI({ apiKey: "none", baseURL: `${gateway.url}/v1`, maxRetries: 0 });
const google = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: gateway.url } });

/** The official client of each dialect that has such a question. */
const COUNT = {
  "anthropic-messages": async (model: string, prompt = "Hi") =>
    (await anthropic.messages.countTokens({ model, messages: [{ role: "user", content: prompt }] })).input_tokens,
  "openai-responses": async (model: string, prompt = "Hi") =>
    (await openai.responses.inputTokens.count({ model, input: prompt })).input_tokens,
  gemini: async (model: string, prompt = "Hi") =>
    (await google.models.countTokens({ model, contents: prompt })).totalTokens,
} as const;

const DIALECTS = Object.keys(COUNT) as readonly (keyof typeof COUNT)[];

describe.each(DIALECTS)("the official client of %s that asks for a count", (dialect) => {
  const count = COUNT[dialect];

  it("gets the number that a local model will have read", async () => {
    const prompt = "What is 12 + 30?";
    const { generationId } = await CLIENTS[dialect](gateway.url)({ model: "pip", prompt, stream: false, think: true });
    const events = await (await gateway.house.generations.find(generationId))!.read();
    const { usage } = events.findLast((event) => event.type === "usage")!;
    expect(await count("pip", prompt)).toBe(usage.inputTokens);
    expect(await count("pip", `${prompt} Say it in words.`)).toBeGreaterThan(usage.inputTokens);
  });

  it.each([
    { provider: "messages", counted: 71 },
    { provider: "responses", counted: 72 },
    { provider: "gemini", counted: 73 },
  ])("gets the number of the provider $provider", async ({ provider: name, counted }) => {
    expect(await count(`${name}/some-model`)).toBe(counted);
    const { headers, body, path } = requests.at(-1)!;
    expect(JSON.stringify(headers)).toContain(KEY);
    expect(path + JSON.stringify(body)).toContain("some-model");
    expect(JSON.stringify(body)).not.toContain("max_tokens");
  });

  it.each(["chat", "old"])("gets an estimate where the provider %s cannot say", async (name) => {
    expect(await count(`${name}/some-model`, "x".repeat(400))).toBe(100);
  });

  it("gets the provider's error, without the key", async () => {
    const error = await errorOf(count("messages/refused"));
    expect(error).toMatchObject({ isOfficial: true, status: 400 });
    expect(error.message).toContain("No, ");
    expect(error.message).not.toContain(KEY);
  });

  it("is told of a model that is not there", async () => {
    expect(await errorOf(count("gpt-nothing"))).toMatchObject({ isOfficial: true, status: 404 });
  });

  it("starts no generation", () => {
    expect(gateway.house.generations.live()).toEqual([]);
  });
});

describe("a count", () => {
  const messages = [{ role: "user", content: "x".repeat(400) }];
  const url = `${gateway.url}/v1/messages/count_tokens`;

  it("says when it is an estimate", async () => {
    expect((await post(url, { model: "chat/some-model", messages })).body).toEqual({
      input_tokens: 100,
      fullstop: { estimated: true },
    });
    expect((await post(url, { model: "messages/some-model", messages })).body).toEqual({ input_tokens: 71 });
  });

  it("has the instructions and the tools in it", async () => {
    const count = async (more: object) => {
      const { body } = await post(url, { model: "pip", messages: [{ role: "user", content: "Hi" }], ...more });
      return (body as { input_tokens: number }).input_tokens;
    };
    const tools = [{ name: "look", input_schema: { type: "object", properties: { at: { type: "string" } } } }];
    const bare = await count({});
    expect(await count({ system: "Be brief and friendly" })).toBeGreaterThan(bare);
    expect(await count({ tools })).toBeGreaterThan(bare + 10);
  });

  it("takes an image for what it costs, not for its bytes", async () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(1_000_000) } };
    const { body } = await post(url, { model: "chat/some-model", messages: [{ role: "user", content: [image] }] });
    expect(body).toEqual({ input_tokens: 1000, fullstop: { estimated: true } });
  });

  it("takes a document for its words where it has some", async () => {
    const count = async (source: object) => {
      const content = [{ type: "document", source }];
      const { body } = await post(url, { model: "chat/some-model", messages: [{ role: "user", content }] });
      return (body as { input_tokens: number }).input_tokens;
    };
    expect(await count({ type: "base64", media_type: "application/pdf", data: "JVBERi0x".repeat(99_999) })).toBe(1000);
    expect(await count({ type: "text", media_type: "text/plain", data: "Four words of it. ".repeat(4000) })).toBe(
      19_000,
    );
    expect(await count({ type: "text", media_type: "text/plain", data: "百".repeat(40_000) })).toBe(11_000);
  });

  it("is asked for with the servers that its tools are from", async () => {
    const servers = { mcp_servers: [{ type: "url", url: "https://example.com", name: "n" }] };
    const tools = [{ type: "mcp_toolset", mcp_server_name: "n" }];
    await post(url, { model: "messages/some-model", messages, tools, ...servers, service_tier: "flex" });
    expect(requests.at(-1)!.body).toMatchObject({ tools, ...servers });
    expect(requests.at(-1)!.body).not.toHaveProperty("service_tier");
  });

  it.each([
    { thinking: { type: "enabled", budget_tokens: 4000, display: "summarized" } },
    { thinking: { type: "adaptive" }, output_config: { effort: "max" } },
    {
      thinking: { type: "enabled", budget_tokens: 4000, display: "summarized" },
      context_management: { edits: [{ type: "clear_thinking_20251015" }] },
    },
  ])("is asked for with the thinking that the answer will have, %o", async (asked) => {
    for (const limit of [{}, { max_tokens: 2000 }]) {
      await post(url, { model: "messages/some-model", messages, ...asked, ...limit });
      expect(requests.at(-1)!.body).toMatchObject(asked);
    }
  });

  it("is also given for a whole request of Gemini's", async () => {
    const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
    const systemInstruction = { parts: [{ text: "Be brief and friendly" }] };
    const ask = async (body: object) =>
      (await post(`${gateway.url}/v1beta/models/pip:countTokens`, body)).body as { totalTokens: number };
    const { totalTokens } = await ask({ contents });
    const whole = { generateContentRequest: { model: "models/pip", contents, systemInstruction } };
    expect((await ask(whole)).totalTokens).toBeGreaterThan(totalTokens);
  });

  it.each([[], 7, null, "", "{", { model: "pip" }, { model: "pip", messages: [] }, { model: "pip", messages: 7 }])(
    "is refused for %j",
    async (body) => {
      expect(await post(url, body)).toMatchObject({
        status: 400,
        body: { type: "error", error: { type: "invalid_request_error" } },
      });
    },
  );
});

describe("a count with keys", async () => {
  const guarded = await openGatewayForFile({
    keys: [{ name: "bob", sha256: hashOf("key-of-bob"), models: ["pip"] }],
  });
  const url = `${guarded.url}/v1/messages/count_tokens`;
  const body = { model: "other", messages: [{ role: "user", content: "Hi" }] };

  it("is for those who have one, and for its models", async () => {
    expect((await post(url, body)).status).toBe(401);
    expect((await post(url, body, { "x-api-key": "key-of-bob" })).status).toBe(403);
  });
});
