import { call, createGate, finish, reasoning, start, text, usage } from "fullstop/testing";
import type { TerminationReason } from "fullstop";
import { describe, expect, it } from "vitest";
import { CLIENTS } from "../support/clients.ts";
import { ASKED_DIALECTS, DIALECTS } from "../support/dialects.ts";
import type { AskedDialect, Dialect } from "../support/dialects.ts";
import { errorOf } from "../support/errors.ts";
import { whenWriting } from "../support/gateway.ts";
import { PROVIDER_KEY, openScripted } from "../support/scripted.ts";

const gateway = await openScripted();
const { generations } = gateway.house;

const PAIRS = DIALECTS.flatMap((from) =>
  ASKED_DIALECTS.flatMap((to) => [true, false].map((stream) => ({ from, to, stream }))),
);

/** What each dialect calls the endings that every dialect can tell. */
const WORDS: Readonly<Record<Dialect, Readonly<Partial<Record<TerminationReason, string>>>>> = {
  "openai-chat": {
    natural_completion: "stop",
    token_limit_reached: "length",
    tool_calls: "tool_calls",
    content_filtered: "content_filter",
  },
  "openai-responses": {
    natural_completion: "completed",
    token_limit_reached: "max_output_tokens",
    tool_calls: "completed",
    content_filtered: "content_filter",
  },
  "anthropic-messages": {
    natural_completion: "end_turn",
    token_limit_reached: "max_tokens",
    tool_calls: "tool_use",
    content_filtered: "refusal",
  },
  gemini: {
    natural_completion: "STOP",
    token_limit_reached: "MAX_TOKENS",
    tool_calls: "STOP",
    content_filtered: "SAFETY",
  },
};

/** What is left of an ending that not every dialect can tell, when it has gone through a provider's dialect. */
const ELSEWHERE: Readonly<Record<AskedDialect, Readonly<Partial<Record<TerminationReason, TerminationReason>>>>> = {
  "openai-chat": {
    context_window_exceeded: "token_limit_reached",
    paused: "token_limit_reached",
    unknown: "token_limit_reached",
  },
  "openai-responses": { context_window_exceeded: "token_limit_reached", paused: "paused", unknown: "unknown" },
  "anthropic-messages": { context_window_exceeded: "context_window_exceeded", paused: "paused" },
  gemini: { context_window_exceeded: "token_limit_reached", paused: "paused", unknown: "unknown" },
  "ollama-chat": { context_window_exceeded: "token_limit_reached" },
};

/** The endings that a provider has a word for. Ollama never filters. */
const tellableBy = (to: AskedDialect): readonly TerminationReason[] =>
  to === "ollama-chat"
    ? ["natural_completion", "token_limit_reached"]
    : ["natural_completion", "token_limit_reached", "content_filtered"];

describe.each(PAIRS)("$from in front of $to, stream: $stream", ({ from, to, stream }) => {
  const ask = CLIENTS[from](gateway.url);
  const upstream = gateway.upstreams[to];
  const question = { model: `${to}/some-model`, stream };
  const signalOf = async (id: string) => (await generations.find(id))?.signal;

  it("passes text and counts on, and asks with the provider's key", async () => {
    gateway.script(to, [start(), text("Hello, "), text("wörld"), usage(9, 4), finish()]);
    const told = await ask({ ...question, prompt: "Say hello", maxTokens: 77 });
    expect(told).toMatchObject({
      text: "Hello, wörld",
      reasoning: "",
      calls: [],
      finish: WORDS[from].natural_completion,
      usage: { input: 9, output: 4 },
    });
    const { request, headers, body } = upstream.requests.at(-1)!;
    // Whatever the client wants to know, the gateway has to.
    if (to === "openai-chat") expect(body["stream_options"]).toEqual({ include_usage: true });
    expect(request).toMatchObject({ model: "some-model", stream: true, maxOutputTokens: 77 });
    expect(request.messages).toEqual([{ role: "user", content: [{ type: "text", text: "Say hello" }] }]);
    expect(JSON.stringify(headers)).toContain(PROVIDER_KEY);
    expect(JSON.stringify(headers)).not.toContain("none");
  });

  it("passes thinking on", async () => {
    gateway.script(to, [start(), reasoning("Let me "), reasoning("think"), text("Hello"), usage(9, 4), finish()]);
    const told = await ask({ ...question, think: true });
    expect(told).toMatchObject({ reasoning: "Let me think", text: "Hello", finish: WORDS[from].natural_completion });
  });

  it("passes calls on, and their results back", async () => {
    const calls = [...call("a", "get_weather", { city: "Oslo" }), ...call("b", "get_weather", { city: "Rome" })];
    gateway.script(to, [start(), text("Let me look."), ...calls, usage(9, 4), finish("tool_calls")]);
    const told = await ask({ ...question, tools: true });
    expect(told.text).toBe("Let me look.");
    expect(told.calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: "get_weather", input: { city: "Oslo" } },
      { name: "get_weather", input: { city: "Rome" } },
    ]);
    expect(told.finish).toBe(WORDS[from].tool_calls);
    expect(upstream.requests.at(-1)!.request.tools).toMatchObject([
      { name: "get_weather", parameters: { properties: { city: { type: "string" } } } },
    ]);
    gateway.script(to, [start(), text("Rain."), finish()]);
    const [first] = told.calls;
    await ask({ ...question, tools: true, result: { call: first!, text: "7 degrees" } });
    const [, assistant, tool] = upstream.requests.at(-1)!.request.messages;
    expect(assistant).toMatchObject({ role: "assistant", content: [{ type: "tool-call", name: "get_weather" }] });
    expect(tool).toMatchObject({ role: "tool" });
    expect(JSON.stringify(tool)).toContain("7 degrees");
  });

  it.each(tellableBy(to))("tells %s", async (reason) => {
    gateway.script(to, [start(), text("Hello"), usage(9, 4), finish(reason)]);
    const told = await ask(question);
    expect(told).toMatchObject({ text: "Hello", finish: WORDS[from][reason] });
    expect(await signalOf(told.generationId)).toMatchObject({ reason });
  });

  it.each(Object.entries(ELSEWHERE[to]))("tells %s as far as the provider can", async (reason, expected) => {
    gateway.script(to, [start(), text("Hello"), usage(9, 4), finish(reason as TerminationReason)]);
    const told = await ask(question);
    expect(told.text).toBe("Hello");
    const { signal } = (await generations.find(told.generationId))!;
    expect(signal?.reason).toBe(expected);
    if (from !== "gemini") expect(told.fullstop).toMatchObject({ reason: expected });
  });

  it("tells an error of the provider's as one of its own", async () => {
    const parts = { message: "Too busy", originalValue: "overloaded_error" };
    gateway.script(to, [start(), text("Hello"), finish("error_termination", parts)]);
    if (from === "openai-responses") {
      const told = await ask(question);
      expect(told).toMatchObject({ text: "Hello", finish: "failed" });
    } else {
      expect(await errorOf(ask(question))).toMatchObject({
        isOfficial: true,
        message: expect.stringContaining("Too busy") as string,
      });
    }
    expect(generations.live()).toEqual([]);
  });

  it("finds any of many stop strings, whatever the provider takes, and closes the connection", async () => {
    const gate = createGate();
    const script = [start(), text("One, two, th"), text("ree, four"), gate.pass, text(", five"), finish()];
    gateway.script(to, script);
    const stop = ["nine", "eight", "seven", "six", "five", "three,"];
    const told = await ask({ ...question, stop });
    const isMessages = from === "anthropic-messages";
    expect(told).toMatchObject({
      text: "One, two, ",
      finish: isMessages ? "stop_sequence" : WORDS[from].natural_completion,
      stopSequence: isMessages ? "three," : null,
    });
    expect(told.usage!.output).toBeGreaterThan(0);
    expect(await signalOf(told.generationId)).toMatchObject({ reason: "stop_sequence", stopSequence: "three," });
    const { request, closed } = upstream.requests.at(-1)!;
    expect(request.stop).toBeUndefined();
    expect(await closed).toBe("gone");
    gate.open();
  });

  it("is closed towards the provider when its reader leaves", async () => {
    const gate = createGate();
    gateway.script(to, [start(), text("Hello"), gate.pass, finish()]);
    const controller = new AbortController();
    const told = ask({ ...question, signal: controller.signal });
    const generation = await whenWriting(gateway);
    controller.abort();
    await Promise.allSettled([told]);
    expect(await generation.ended).toMatchObject({ reason: "cancelled", detail: "disconnect" });
    expect(await upstream.requests.at(-1)!.closed).toBe("gone");
    gate.open();
  });

  it("is closed towards the provider when its reader leaves before the first byte", async () => {
    gateway.script(to, { silent: true });
    const controller = new AbortController();
    const told = ask({ ...question, signal: controller.signal });
    const count = upstream.requests.length;
    while (upstream.requests.length === count) await new Promise((resolve) => setImmediate(resolve));
    const [generation] = generations.live();
    controller.abort();
    await Promise.allSettled([told]);
    expect(await generation!.ended).toMatchObject({ reason: "cancelled", detail: "disconnect" });
    expect(await upstream.requests.at(-1)!.closed).toBe("gone");
    expect(generations.live()).toEqual([]);
  });
});
