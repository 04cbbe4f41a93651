import { describe, expect, it } from "vitest";
import {
  anthropic,
  createRemoteEngine,
  deepseek,
  defineProvider,
  gemini,
  groq,
  mistral,
  ollama,
  openai,
  openaiCompatible,
  openaiResponses,
  openrouter,
  together,
  xai,
} from "../../src/engines/index.ts";
import type { Provider, ProviderOptions, RemoteEngineOptions } from "../../src/engines/index.ts";
import { FullstopError } from "../../src/index.ts";
import type { GenerationRequest } from "../../src/index.ts";
import { finish, start, text } from "../../src/testing/index.ts";
import { anthropicMessages, openaiChat } from "../../src/wire/index.ts";
import type { WireFormat, WireWarning } from "../../src/wire/index.ts";
import { ask, readAll } from "../support/engine-contract.ts";
import { finishOf, textOf } from "../support/events.ts";
import { openProviderServer } from "../support/provider-server.ts";
import type { Dialect, Reply } from "../support/provider-server.ts";
import { KEY, withRemote } from "../support/remote.ts";

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly warnings: readonly WireWarning[];
}

/** What is sent to a provider. */
async function sentTo(provider: Provider, request: GenerationRequest): Promise<Sent> {
  let sent: Omit<Sent, "warnings"> | undefined;
  const warnings: WireWarning[] = [];
  const engine = createRemoteEngine({
    provider,
    onWarning: (warning) => void warnings.push(warning),
    fetch(url, { headers, body }) {
      sent = {
        url,
        headers: Object.fromEntries(new Headers(headers)),
        body: JSON.parse(body as string) as Sent["body"],
      };
      return Promise.resolve(new Response(""));
    },
  });
  await readAll(engine, request);
  if (sent === undefined) throw new Error("nothing was sent");
  return { ...sent, warnings };
}

const bearer = { authorization: `Bearer ${KEY}` };
const asked = ask("some-model", { maxOutputTokens: 50, sampling: { seed: 7 }, user: "u1" });

const PRESETS: readonly { id: string; provider: Provider; url: string; headers: Readonly<Record<string, string>> }[] = [
  { id: "openai", provider: openai(KEY), url: "https://api.openai.com/v1/chat/completions", headers: bearer },
  { id: "openai", provider: openaiResponses(KEY), url: "https://api.openai.com/v1/responses", headers: bearer },
  {
    id: "anthropic",
    provider: anthropic(KEY),
    url: "https://api.anthropic.com/v1/messages",
    headers: { "x-api-key": KEY, "anthropic-version": "2023-06-01" },
  },
  {
    id: "google",
    provider: gemini(KEY),
    url: "https://generativelanguage.googleapis.com/v1beta/models/some-model:streamGenerateContent?alt=sse",
    headers: { "x-goog-api-key": KEY },
  },
  { id: "xai", provider: xai(KEY), url: "https://api.x.ai/v1/chat/completions", headers: bearer },
  {
    id: "openrouter",
    provider: openrouter(KEY),
    url: "https://openrouter.ai/api/v1/chat/completions",
    headers: bearer,
  },
  { id: "mistral", provider: mistral(KEY), url: "https://api.mistral.ai/v1/chat/completions", headers: bearer },
  { id: "deepseek", provider: deepseek(KEY), url: "https://api.deepseek.com/v1/chat/completions", headers: bearer },
  { id: "groq", provider: groq(KEY), url: "https://api.groq.com/openai/v1/chat/completions", headers: bearer },
  { id: "together", provider: together(KEY), url: "https://api.together.xyz/v1/chat/completions", headers: bearer },
  { id: "ollama", provider: ollama(), url: "http://127.0.0.1:11434/api/chat", headers: {} },
  {
    id: "openai-compatible",
    provider: openaiCompatible("http://127.0.0.1:8000/v1/", { apiKey: KEY }),
    url: "http://127.0.0.1:8000/v1/chat/completions",
    headers: bearer,
  },
];

describe("a provider", () => {
  it.each(PRESETS)("$id is asked at $url", async ({ id, provider, url, headers }) => {
    expect(provider.id).toBe(id);
    const sent = await sentTo(provider, asked);
    expect(sent.url).toBe(url);
    const { accept, "content-type": type, ...others } = sent.headers;
    const stream = id === "ollama" ? "application/x-ndjson" : "text/event-stream";
    expect({ accept, type }).toEqual({ accept: stream, type: "application/json" });
    expect(others).toEqual(headers);
  });

  it("has another address for whole answers where the dialect has", async () => {
    const { url } = await sentTo(gemini(KEY), ask("models/gemini-pro", { stream: false }));
    expect(url).toBe("https://generativelanguage.googleapis.com/v1beta/models/gemini-pro:generateContent");
  });

  it("cannot be led to another address by the name of a model", async () => {
    const { url } = await sentTo(gemini(KEY), ask("../../x?key=1#$&"));
    expect(url).toMatch(/\/v1beta\/models\/\.\.%2F\.\.%2Fx%3Fkey%3D1%23%24%26:streamGenerateContent\?alt=sse$/u);
  });

  it.each([
    { name: "openai", provider: openai(KEY), field: "max_completion_tokens" },
    { name: "groq", provider: groq(KEY), field: "max_completion_tokens" },
    { name: "mistral", provider: mistral(KEY), field: "max_tokens" },
    { name: "deepseek", provider: deepseek(KEY), field: "max_tokens" },
    { name: "together", provider: together(KEY), field: "max_tokens" },
    { name: "a compatible server", provider: openaiCompatible("http://127.0.0.1/v1"), field: "max_tokens" },
  ])("$name takes the limit as $field", async ({ provider, field }) => {
    const { body } = await sentTo(provider, asked);
    expect(Object.keys(body).filter((name) => name.startsWith("max_"))).toEqual([field]);
    expect(body[field]).toBe(50);
  });

  it("is not sent fields that it refuses, and a warning tells of those that were asked for", async () => {
    const { body, warnings } = await sentTo(mistral(KEY), asked);
    expect(body).toMatchObject({ random_seed: 7, stream: true });
    expect(body).not.toHaveProperty("seed");
    expect(body).not.toHaveProperty("stream_options");
    expect(body).not.toHaveProperty("user");
    expect(warnings.map(({ field }) => field)).toEqual(["user"]);
  });

  it.each([
    { name: "deepseek", provider: deepseek(KEY), field: "reasoning_content" },
    { name: "openrouter", provider: openrouter(KEY), field: "reasoning" },
    { name: "ollama", provider: ollama(), field: "thinking" },
  ])("$name gets the thinking back as $field", async ({ provider, field }) => {
    const request: GenerationRequest = {
      model: "some-model",
      messages: [
        { role: "user", content: [{ type: "text", text: "What is the weather?" }] },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Look it up." },
            { type: "tool-call", callId: "a", name: "weather", json: "{}" },
          ],
        },
        { role: "tool", callId: "a", content: [{ type: "text", text: "Rain" }] },
      ],
    };
    const { body } = await sentTo(provider, request);
    expect(body).toMatchObject({ messages: [{}, { role: "assistant", [field]: "Look it up." }, {}] });
  });

  it("can be anywhere, with headers and paths of its own", async () => {
    const provider = defineProvider({
      id: "azure",
      format: openaiChat,
      baseUrl: "https://example.openai.azure.com/openai/deployments",
      headers: { "api-key": KEY, Accept: "*/*" },
      path: "/{model}/chat/completions?api-version=2024-10-21",
    });
    const { url, headers } = await sentTo(provider, ask("gpt 4"));
    expect(url).toBe(
      "https://example.openai.azure.com/openai/deployments/gpt%204/chat/completions?api-version=2024-10-21",
    );
    expect(headers).toMatchObject({ "api-key": KEY, accept: "*/*" });
  });

  it("that is known can be asked by way of another address and with more headers", async () => {
    const options = {
      baseUrl: "http://127.0.0.1:9/proxy",
      headers: { "x-team": "a", "anthropic-version": "2099-01-01" },
    };
    const { url, headers } = await sentTo(anthropic(KEY, options), ask());
    expect(url).toBe("http://127.0.0.1:9/proxy/messages");
    expect(headers).toMatchObject({ "x-team": "a", "x-api-key": KEY, "anthropic-version": "2099-01-01" });
  });

  it("reads finish values that are numbers, where the provider sends them", async () => {
    const chunk = { id: "1", model: "m", choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: 1 }] };
    const reply: Reply = [{ raw: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n` }];
    const server = await openProviderServer("openai-chat", () => reply);
    const events = await readAll(createRemoteEngine({ provider: xai(KEY, { baseUrl: server.baseUrl }) }));
    await server.close();
    expect(textOf(events)).toBe("Hi");
    expect(finishOf(events).reason).toBe("token_limit_reached");
  });

  const fits = { id: "local", format: openaiChat, baseUrl: "http://127.0.0.1/v1" };
  const readOnly = { ...openaiChat, encodeRequest: undefined } as unknown as WireFormat;

  it.each<[string, () => unknown, string]>([
    ["no name", () => defineProvider({ ...fits, id: "" }), "id must be a name"],
    ["a misspelt option", () => defineProvider({ ...fits, baseURL: "x" } as Provider), "provider has no such option"],
    ["a dialect that is only read", () => defineProvider({ ...fits, format: readOnly }), "format must be a dialect"],
    [
      "a dialect without a usual path",
      () => defineProvider({ ...fits, format: { ...anthropicMessages, name: "cohere-chat" } }),
      "path must be given for the dialect cohere-chat",
    ],
    [
      "a path without a slash",
      () => defineProvider({ ...fits, path: "chat" }),
      'path must begin with a slash, got "chat"',
    ],
    [
      "an address that is none",
      () => defineProvider({ ...fits, baseUrl: "api.openai.com" }),
      "baseUrl must be an address",
    ],
    ["another protocol", () => defineProvider({ ...fits, baseUrl: "file:///etc" }), "baseUrl must be an address"],
    ["a key in the query", () => gemini(KEY, { baseUrl: `https://example.com/v1?key=${KEY}` }), "no query"],
    ["a key as a password", () => gemini(KEY, { baseUrl: `https://u:${KEY}@example.com/v1` }), "no password"],
    ["a key in an address that is none", () => gemini(KEY, { baseUrl: `u:${KEY}@x?key=${KEY}` }), 'got "…@x?…"'],
    [
      "a header with a line break",
      () => defineProvider({ ...fits, headers: { "x-key": `${KEY}\n` } }),
      'the header "x-key"',
    ],
    ["a key with a line break", () => openai(`${KEY}\n`), "apiKey must be a key without spaces or line breaks, got 19"],
    ["an empty key", () => openai(""), "apiKey must be a key"],
    ["no key", () => openai(undefined as unknown as string), "openai needs an apiKey"],
    ["a key in the place of the options", () => openaiCompatible("http://x/v1", KEY as never), "or { apiKey }"],
    ["options that are none", () => openai(KEY, KEY as never), "provider options must be an object"],
    ["only a key for Ollama", () => ollama(KEY as never), "got string"],
    ["a key of another kind", () => openai({ key: KEY } as unknown as string), "got object"],
    [
      "a misspelt setting",
      () => openai(KEY, { baseURL: "x" } as ProviderOptions),
      "provider options has no such option",
    ],
    ["no provider", () => createRemoteEngine({} as RemoteEngineOptions), "provider must be an object"],
    [
      "a fetch that is none",
      () => createRemoteEngine({ provider: openai(KEY), fetch: 5 } as unknown as RemoteEngineOptions),
      "fetch must be a function",
    ],
  ])("is refused with %s, and the key is not quoted", (_what, create, message) => {
    expect(create).toThrow(FullstopError);
    expect(create).toThrow(message);
    expect(create).not.toThrow(KEY);
  });
});

describe("a key", () => {
  const echo = (dialect: Dialect): Reply => ({
    status: 401,
    body: {
      type: "error",
      error: {
        type: `bad ${KEY}`,
        code: KEY,
        status: KEY,
        message: `Incorrect key ${KEY} in Bearer ${KEY} (${dialect})`,
      },
    },
  });

  it.each<[Dialect]>([["openai-chat"], ["openai-responses"], ["anthropic-messages"], ["gemini"]])(
    "is in no event and no warning, whatever a server that speaks %s says",
    async (dialect) => {
      const inBand: Reply = [
        start(),
        text("Hel"),
        { raw: `event: error\ndata: ${JSON.stringify({ error: { message: `no ${KEY}`, code: KEY } })}\n\n` },
      ];
      const page: Reply = { status: 200, body: `<title>Welcome ${KEY}</title>` };
      const cut: Reply = { steps: [start(), text("Hello"), finish()], cutAt: 30, by: "reset" };
      for (const reply of [echo(dialect), inBand, page, cut, [start(), text("Hello"), finish()]]) {
        await withRemote(dialect, reply, async ({ engine, server, warnings }) => {
          const events = await readAll(engine, ask("some-model", { stop: ["a", "b", "c", "d", "e", "f"], user: "u" }));
          expect(JSON.stringify([events, warnings])).not.toContain(KEY);
          expect(JSON.stringify(server.requests[0]?.headers)).toContain(KEY);
        });
      }
    },
  );

  it("is taken out of errors that keep the rest of their words", async () => {
    await withRemote("openai-chat", echo("openai-chat"), async ({ engine }) => {
      expect(finishOf(await readAll(engine))).toMatchObject({
        reason: "error_termination",
        detail: "authentication",
        message: "Incorrect key [redacted] in [redacted] (openai-chat)",
      });
    });
  });
});
