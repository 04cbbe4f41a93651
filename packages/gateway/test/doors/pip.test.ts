import { describe, expect, it } from "vitest";
import { CLIENTS } from "../support/clients.ts";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { openGatewayForFile, post, readFrames, whenWriting } from "../support/gateway.ts";

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

const CASES = DIALECTS.flatMap((dialect) => [true, false].map((stream) => ({ dialect, stream })));

/** What the clients that pass unknown fields on have found beside the finish. */
function expectExtension(dialect: Dialect, fullstop: unknown, signal: object): void {
  if (dialect === "gemini") expect(fullstop).toBeUndefined();
  else expect(fullstop).toMatchObject(signal);
}

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
    const generation = gateway.house.registry.find(told.generationId)!;
    expect(generation.signal?.reason).toBe("natural_completion");
    expect(gateway.house.registry.live()).toEqual([]);
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
    const { signal } = gateway.house.registry.find(told.generationId)!;
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
    const { signal } = gateway.house.registry.find(told.generationId)!;
    expect(signal?.reason).toBe("repetition_detected");
    expectExtension(dialect, told.fullstop, { reason: "repetition_detected" });
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
    expect(gateway.house.registry.live()).toEqual([]);
  });
});

describe("the gateway on Pip", () => {
  it("says how an answer ended in the last frame of Gemini's dialect, too", async () => {
    const response = await fetch(`${gateway.url}/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`, {
      method: "POST",
      body: JSON.stringify({
        contents: [{ role: "user", parts: [{ text: "Count from 1 to 50" }] }],
        generationConfig: { stopSequences: ["7"], thinkingConfig: { thinkingBudget: 0 } },
      }),
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const frames: object[] = [];
    for await (const { data } of readFrames(response)) frames.push(JSON.parse(data) as object);
    expect(frames.slice(0, -1).some((frame) => "fullstop" in frame)).toBe(false);
    expect(frames.at(-1)).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      fullstop: { reason: "stop_sequence", stopSequence: "7" },
    });
  });

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

  it("takes its settings from a header where a client cannot put them into the body", async () => {
    const body = {
      model: MODEL,
      messages: [{ role: "user", content: "Count from 1 to 50" }],
      reasoning_effort: "none",
    };
    const settings = { "x-fullstop-settings": '{"stop":["7"]}' };
    const { body: answer } = await post(`${gateway.url}/v1/chat/completions`, body, settings);
    expect(answer).toMatchObject({ fullstop: { reason: "stop_sequence", stopSequence: "7" } });
    const refused = await post(`${gateway.url}/v1/chat/completions`, body, { "x-fullstop-settings": "{" });
    expect(refused).toMatchObject({ status: 400, body: { error: { type: "invalid_request_error" } } });
  });
});
