import { describe, expect, it } from "vitest";
import { CLIENTS } from "../support/clients.ts";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { errorOf } from "../support/errors.ts";
import { openGatewayForFile, post, whenWriting } from "../support/gateway.ts";
import { askRaw } from "../support/raw.ts";

const MODEL = "pip";
const gateway = await openGatewayForFile({ models: { [MODEL]: { local: "pip", sequences: 2, threads: 1 } } });

const NATURAL: Readonly<Record<Dialect, string>> = {
  "openai-chat": "stop",
  "openai-responses": "completed",
  "anthropic-messages": "end_turn",
  gemini: "STOP",
};

const LIMIT: Readonly<Record<Dialect, string>> = {
  "openai-chat": "length",
  "openai-responses": "max_output_tokens",
  "anthropic-messages": "max_tokens",
  gemini: "MAX_TOKENS",
};

const TOOLS: Readonly<Record<Dialect, string>> = {
  "openai-chat": "tool_calls",
  "openai-responses": "completed",
  "anthropic-messages": "tool_use",
  gemini: "STOP",
};

const CANCELLED: Readonly<Record<Dialect, string>> = {
  "openai-chat": "stop",
  "openai-responses": "cancelled",
  "anthropic-messages": "end_turn",
  gemini: "OTHER",
};

const CASES = DIALECTS.flatMap((dialect) => [true, false].map((stream) => ({ dialect, stream })));

/** What the clients that pass unknown fields on have found beside the finish. */
function expectExtension(dialect: Dialect, fullstop: unknown, signal: object): void {
  if (dialect === "gemini") expect(fullstop).toBeUndefined();
  else expect(fullstop).toMatchObject(signal);
}

describe("an answer that a request has begun", () => {
  it("is gone on with by Pip, as Anthropic's models do", async () => {
    const ask = (messages: readonly object[], limit: number) =>
      post(`${gateway.url}/v1/messages`, { model: MODEL, max_tokens: limit, messages, thinking: { type: "disabled" } });
    const question = { role: "user", content: "Count from 1 to 20" };
    const textOf = ({ body }: { readonly body: unknown }) => (body as { content: { text: string }[] }).content[0]!.text;
    const half = textOf(await ask([question], 12));
    const rest = textOf(await ask([question, { role: "assistant", content: half }], 200));
    expect(rest).not.toMatch(/^\s*1\b/u);
    expect(half + rest).toBe(textOf(await ask([question], 200)));
  });
});

describe.each(CASES)("the official client of $dialect on Pip, stream: $stream", ({ dialect, stream }) => {
  const ask = CLIENTS[dialect](gateway.url);

  it("gets text, the end, the counts and the generation's id", async () => {
    const told = await ask({ model: MODEL, prompt: "What is 12 + 30?", stream });
    expect(told.text).toContain("42");
    expect(told.reasoning).toBe("");
    expect(told.finish).toBe(NATURAL[dialect]);
    expect(told.usage!.input).toBeGreaterThan(5);
    expect(told.usage!.output).toBeGreaterThan(0);
    expectExtension(dialect, told.fullstop, { reason: "natural_completion", confidence: "high" });
    const generation = await gateway.house.generations.find(told.generationId);
    expect(generation?.signal?.reason).toBe("natural_completion");
    expect(gateway.house.generations.live()).toEqual([]);
  });

  it("gets thinking apart from the answer", async () => {
    const told = await ask({ model: MODEL, prompt: "What is 312 + 230?", stream, think: true });
    expect(told.reasoning.length).toBeGreaterThan(20);
    expect(told.text).toContain("542");
    expect(told.text).not.toContain(told.reasoning.slice(0, 20));
    expect(told.finish).toBe(NATURAL[dialect]);
  });

  it("calls a tool, sends its result back and gets an answer from it", async () => {
    const question = { model: MODEL, prompt: "What is the weather in Oslo?", stream, tools: true };
    const told = await ask(question);
    const [call] = told.calls;
    expect(told.calls).toEqual([
      { id: expect.stringMatching(/./u) as string, name: "get_weather", input: { city: "Oslo" } },
    ]);
    expect(told.finish).toBe(TOOLS[dialect]);
    expectExtension(dialect, told.fullstop, { reason: "tool_calls" });
    const text = '{"temperature": 7, "condition": "rainy"}';
    const answer = await ask({ ...question, result: { call: call!, text } });
    expect(answer.text).toMatch(/7|rain/u);
    expect(answer.calls).toEqual([]);
    expect(answer.finish).toBe(NATURAL[dialect]);
  });

  it("is stopped by any of many stop strings, and told by which where the dialect can say it", async () => {
    const stop = ["7,", "never", "nobody", "nothing", "nowhere", "7"];
    const whole = await ask({ model: MODEL, prompt: "Count from 1 to 50", stream, maxTokens: 60 });
    const told = await ask({ model: MODEL, prompt: "Count from 1 to 50", stream, stop });
    expect(whole.text.startsWith(told.text)).toBe(true);
    expect(told.text).not.toContain("7");
    expect(told.text).toContain("6");
    const isMessages = dialect === "anthropic-messages";
    expect(told.finish).toBe(isMessages ? "stop_sequence" : NATURAL[dialect]);
    expect(told.stopSequence).toBe(isMessages ? "7" : null);
    const { signal } = (await gateway.house.generations.find(told.generationId))!;
    expect(signal).toMatchObject({ reason: "stop_sequence", stopSequence: "7" });
    expectExtension(dialect, told.fullstop, { reason: "stop_sequence", stopSequence: "7" });
  });

  it("is told of a limit", async () => {
    const told = await ask({ model: MODEL, prompt: "Count from 1 to 50", stream, maxTokens: 9 });
    expect(told.finish).toBe(LIMIT[dialect]);
    expect(told.usage!.output).toBe(9);
  });

  it("is spared a loop, in a word that its dialect has", async () => {
    const told = await ask({ model: MODEL, prompt: "Say hello forever", stream, fullstop: { repetition: true } });
    expect(told.finish).toBe(LIMIT[dialect]);
    const { signal } = (await gateway.house.generations.find(told.generationId))!;
    expect(signal?.reason).toBe("repetition_detected");
    expectExtension(dialect, told.fullstop, { reason: "repetition_detected" });
  });

  it("gets an answer in pieces only where it wants a stream", async () => {
    let pieces = 0;
    const told = await ask({ model: MODEL, prompt: "Count from 1 to 50", stream, onPiece: () => (pieces += 1) });
    if (stream) expect(pieces).toBeGreaterThan(20);
    else expect(pieces).toBe(0);
    expect(told.text).toContain("20");
  });

  it("gets the counts of the model, thinking included", async () => {
    const told = await ask({ model: MODEL, prompt: "What is 312 + 230?", stream, think: true });
    const events = await (await gateway.house.generations.find(told.generationId))!.read();
    const { usage } = events.findLast((event) => event.type === "usage")!;
    expect(usage.reasoningTokens).toBeGreaterThan(0);
    expect(usage.estimated).toBeUndefined();
    // Anthropic counts what was read from a cache apart.
    const cached = dialect === "anthropic-messages" ? (usage.cachedInputTokens ?? 0) : 0;
    expect(told.usage).toEqual({ input: usage.inputTokens - cached, output: usage.outputTokens });
  });

  it("is told in its own words that the conversation is too long", async () => {
    const error = await errorOf(ask({ model: MODEL, prompt: "word ".repeat(20_000), stream }));
    expect(error).toMatchObject({ isOfficial: true, status: 400 });
    expect(error.message).toMatch(/The prompt has .*tokens and the model's context holds/u);
    expect(gateway.house.generations.live()).toEqual([]);
  });

  it("is told that somebody has stopped the answer, and keeps what there was of it", async () => {
    const fullstop = { ignoreEos: true };
    const asked = ask({ model: MODEL, prompt: "Say hello forever", stream, fullstop });
    const { id } = await whenWriting(gateway);
    const { body } = await post(`${gateway.url}/v1/generations/${id}/stop`, { reason: "new_message" });
    const told = await asked;
    expect(told.text).toBe((body as { text: string }).text);
    expect(told.finish).toBe(CANCELLED[dialect]);
    expectExtension(dialect, told.fullstop, { reason: "cancelled", detail: "new_message" });
  });

  it("frees the model when it leaves", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const fullstop = { ignoreEos: true };
    const told = ask({ model: MODEL, prompt: "Say hello forever", stream, fullstop, signal });
    const generation = await whenWriting(gateway);
    controller.abort();
    // Some clients throw, others end their stream.
    await Promise.allSettled([told]);
    expect(await generation.ended).toMatchObject({ reason: "cancelled", detail: "disconnect" });
    expect(gateway.house.generations.live()).toEqual([]);
  });
});

describe.each(CASES)("the last document of $dialect on Pip, stream: $stream", ({ dialect, stream }) => {
  const conversation = (prompt: string): object =>
    ({
      "openai-chat": { messages: [{ role: "user", content: prompt }], reasoning_effort: "none" },
      "openai-responses": { input: prompt, reasoning: { effort: "none" } },
      "anthropic-messages": { messages: [{ role: "user", content: prompt }], thinking: { type: "disabled" } },
      gemini: {
        contents: [{ role: "user", parts: [{ text: prompt }] }],
        generationConfig: { thinkingConfig: { thinkingBudget: 0 } },
      },
    })[dialect];

  it.each([
    { prompt: "What is 12 + 30?", fullstop: {}, signal: { reason: "natural_completion" } },
    { prompt: "Count from 1 to 50", fullstop: { stop: ["7"] }, signal: { reason: "stop_sequence", stopSequence: "7" } },
    { prompt: "Say hello forever", fullstop: { repetition: true }, signal: { reason: "repetition_detected" } },
    { prompt: "Count from 1 to 50", fullstop: { maxCharacters: 9 }, signal: { reason: "token_limit_reached" } },
  ])("says in full how it ended: $signal.reason", async ({ prompt, fullstop, signal }) => {
    const more = { ...conversation(prompt), fullstop };
    const { documents, fullstop: found } = await askRaw(gateway.url, dialect, { model: MODEL, stream, more });
    expect(found).toMatchObject(signal);
    // The native fields have words of the dialect's own only.
    const native = JSON.stringify(documents, (key, value: unknown) => (key === "fullstop" ? undefined : value));
    expect(native).not.toMatch(/repetition|natural_completion|token_limit_reached/u);
    if (dialect === "anthropic-messages" && signal.reason === "stop_sequence") {
      expect(native).toContain('"stop_reason":"stop_sequence","stop_sequence":"7"');
    }
  });
});

describe("the gateway on Pip", () => {
  it("sends counts at the end of a chat's stream only where they were asked for", async () => {
    const messages = [{ role: "user", content: "What is 12 + 30?" }];
    const body = { model: MODEL, messages, stream: true, reasoning_effort: "none" };
    const ask = async (more: object) => {
      const init = { method: "POST", body: JSON.stringify({ ...body, ...more }) };
      return (await fetch(`${gateway.url}/v1/chat/completions`, init)).text();
    };
    expect(await ask({})).not.toContain('"usage"');
    expect(await ask({ stream_options: { include_usage: true } })).toContain('"usage"');
  });
});
