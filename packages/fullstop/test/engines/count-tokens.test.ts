import { describe, expect, it } from "vitest";
import type { GenerationRequest, TerminationSignal, TokenCount } from "../../src/index.ts";
import { anthropic, createRemoteEngine, gemini, openai, openaiResponses } from "../../src/engines/index.ts";
import type { Provider } from "../../src/engines/index.ts";

const KEY = "quiet-harbour-1729";
const REQUEST: GenerationRequest = {
  model: "some-model",
  messages: [
    { role: "system", content: [{ type: "text", text: "Be brief" }] },
    { role: "user", content: [{ type: "text", text: "Hi" }] },
  ],
  maxOutputTokens: 9,
  stop: ["x"],
  sampling: { temperature: 0.5 },
  tools: [{ name: "look", parameters: { type: "object", properties: {} } }],
};
const signal = new AbortController().signal;

interface Sent {
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Has a provider that answers so count, and gives what it was asked. */
async function count(provider: Provider, answer: Response | Error, by = signal) {
  const sent: Sent[] = [];
  const engine = createRemoteEngine({
    provider,
    fetch: (url, { body }) => {
      sent.push({ url, body: JSON.parse(body as string) as Sent["body"] });
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  });
  return { sent, result: await engine.countTokens!(REQUEST, by) };
}

const failureOf = (result: TokenCount): TerminationSignal => (result as { failure: TerminationSignal }).failure;

describe("a provider that can count is asked in its dialect, without what concerns the answer only", () => {
  it.each([
    {
      provider: anthropic(KEY),
      answer: { input_tokens: 7 },
      url: "https://api.anthropic.com/v1/messages/count_tokens",
      fields: ["model", "messages", "system", "tools"],
    },
    {
      provider: openaiResponses(KEY),
      answer: { object: "response.input_tokens", input_tokens: 7 },
      url: "https://api.openai.com/v1/responses/input_tokens",
      fields: ["model", "input", "instructions", "tools"],
    },
    {
      provider: gemini(KEY),
      answer: { totalTokens: 7 },
      url: "https://generativelanguage.googleapis.com/v1beta/models/some-model:countTokens",
      fields: ["generateContentRequest"],
    },
  ])("$url", async ({ provider, answer, url, fields }) => {
    const { sent, result } = await count(provider, Response.json(answer));
    expect(result).toEqual({ inputTokens: 7 });
    expect(sent.map((call) => call.url)).toEqual([url]);
    expect(Object.keys(sent[0]!.body).toSorted()).toEqual(fields.toSorted());
    expect(JSON.stringify(sent[0]!.body)).toContain("Be brief");
  });

  it("names the model once more in Gemini's, where it stands in the question", async () => {
    const { sent } = await count(gemini(KEY), Response.json({ totalTokens: 7 }));
    expect(sent[0]!.body["generateContentRequest"]).toMatchObject({ model: "models/some-model" });
  });
});

describe("a provider that cannot count", () => {
  it.each([openai(KEY), { ...anthropic(KEY), path: "/elsewhere" }])("has no way to be asked: $id", (provider) => {
    expect(createRemoteEngine({ provider })).not.toHaveProperty("countTokens");
  });
});

describe("a count that fails says why", () => {
  it("by the provider's error, without the key", async () => {
    const body = { type: "error", error: { type: "authentication_error", message: `no key ${KEY}` } };
    const { result } = await count(anthropic(KEY), Response.json(body, { status: 401 }));
    expect(failureOf(result)).toMatchObject({
      reason: "error_termination",
      message: "no key [redacted]",
      providerSpecific: { metadata: { status: 401 } },
    });
  });

  it.each(["", "{}", '{"input_tokens":-1}', '{"input_tokens":"7"}', "<h1>Oops</h1>"])(
    "by an answer of %j",
    async (body) => {
      const { result } = await count(anthropic(KEY), new Response(body));
      expect(failureOf(result)).toMatchObject({ detail: "not_an_answer" });
    },
  );

  it("by an answer that has no end", async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
    });
    const { result } = await count(anthropic(KEY), new Response(endless));
    expect(failureOf(result)).toMatchObject({ detail: "not_an_answer" });
  });

  it("by a connection that breaks", async () => {
    const { result } = await count(anthropic(KEY), new TypeError("fetch failed"));
    expect(failureOf(result)).toMatchObject({ detail: "network_error" });
  });

  it("by whoever has stopped it, before anything is sent", async () => {
    const { sent, result } = await count(anthropic(KEY), Response.json({ input_tokens: 7 }), AbortSignal.abort());
    expect(failureOf(result)).toMatchObject({ reason: "cancelled" });
    expect(sent).toEqual([]);
  });
});

describe("what a dialect cannot say of a request", () => {
  it("is told to the request's own listener, and else to the engine's", async () => {
    const told: string[] = [];
    const engine = createRemoteEngine({
      provider: openai(KEY),
      fetch: () => Promise.resolve(new Response("")),
      onWarning: ({ field }) => told.push(`engine: ${field}`),
    });
    const request = { ...REQUEST, reasoning: { show: true } };
    for await (const _ of engine.generate({ ...request, onWarning: ({ field }) => told.push(field) }, signal));
    for await (const _ of engine.generate(request, signal));
    expect(told).toEqual(["reasoning.show", "engine: reasoning.show"]);
  });
});
