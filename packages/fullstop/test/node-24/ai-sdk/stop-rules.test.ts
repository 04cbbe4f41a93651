import { describe, expect, it } from "vitest";
import { signalOf } from "../../../src/adapters/ai-sdk/index.ts";
import { call, finish, reasoning, signature, text } from "../../support/official.ts";
import type { GenerationEvent, TerminationSignal } from "../../../src/index.ts";
import { ALL, ASKS, counts, done, forever, guard, modelOf, opening, serve } from "../support/models.ts";

describe.each(ALL)("$name by $by", ({ dialect, create, ask }) => {
  const answers: readonly [name: string, events: readonly GenerationEvent[]][] = [
    ["text", [opening, text("Hello, "), text("wörld </a"), text("b>"), counts, done]],
    [
      "thinking",
      [opening, reasoning("Two and "), reasoning("two."), signature("proof", dialect), text("Four."), counts, done],
    ],
    ["calls", [opening, text("Look: "), ...call("c1", "weather", '{"city":"Oslo"}'), counts, finish("tool_calls")]],
    ["a limit of the provider's", [opening, text("Hello"), counts, finish("token_limit_reached")]],
    ["a refusal", [opening, text("I"), counts, finish("content_filtered")]],
  ];

  it.each(answers)("gives the same answer as without rules that fire: %s", async (_name, events) => {
    const { baseUrl } = await serve(dialect, events);
    const { model, calls } = guard(create(baseUrl), { stop: ["</answer>"], repetition: true });
    const plain = await ask(create(baseUrl));
    const { providerMetadata, ...guarded } = await ask(model);
    const { fullstop: _fullstop, ...providers } = providerMetadata ?? {};
    expect({ ...guarded, providerMetadata: providers }).toEqual({
      ...plain,
      providerMetadata: plain.providerMetadata ?? {},
    });
    const { signal } = events.at(-1) as { signal: TerminationSignal };
    expect(signalOf(providerMetadata)?.reason).toBe(signal.reason);
    expect(calls).toMatchObject([{ signal: { reason: signal.reason }, text: plain.text, usage: { inputTokens: 9 } }]);
    expect(calls[0]?.usage.estimated).toBeUndefined();
  });

  it("ends at any of hundreds of stop strings, and hands on no more than the provider takes", async () => {
    const server = await serve(dialect, [opening, text("The answer is 42</an"), text("swer> and"), forever]);
    const many = Array.from({ length: 300 }, (_, index) => `<never-${index}>`);
    const { model, calls } = guard(create(server.baseUrl), { stop: many });
    const answer = await ask(model, { stopSequences: ["</other>", "</answer>"] });
    expect(answer).toMatchObject({ text: "The answer is 42", finishReason: "stop", rawFinishReason: "stop_sequence" });
    expect(signalOf(answer.providerMetadata)).toMatchObject({ reason: "stop_sequence", stopSequence: "</answer>" });
    expect(answer).toMatchObject({
      rawUsage: { estimated: true },
      providerMetadata: { fullstop: { usageEstimated: true } },
    });
    expect(calls).toMatchObject([{ text: "The answer is 42", usage: { estimated: true } }]);
    const request = await server.nextRequest();
    expect(await request.closed).toBe("gone");
    expect(request.request.stop ?? []).toEqual(
      dialect === "anthropic-messages" ? ["</other>", "</answer>", ...many] : [],
    );
  });

  it("finds a stop string wherever it is cut into pieces", async () => {
    const all = "Say: 42</answer> and more";
    let at = 0;
    const { baseUrl } = await serve(dialect, () => [opening, text(all.slice(0, at)), text(all.slice(at)), forever]);
    const { model, calls } = guard(create(baseUrl), { stop: ["</answer>"] });
    for (at = 1; at < all.length; at++) expect((await ask(model)).text).toBe("Say: 42");
    expect(new Set(calls.map(({ signal }) => signal.stopSequence))).toEqual(new Set(["</answer>"]));
  });

  it.each([
    [{ repetition: true }, "repetition_detected", "other"],
    [{ maxCharacters: 30 }, "token_limit_reached", "length"],
    [{ maxTokens: 5 }, "token_limit_reached", "length"],
    [{ maxCost: { amount: 3, perToken: 1 } }, "budget_exceeded", "other"],
  ] as const)("ends by %o, never with the word for a success", async (rules, reason, word) => {
    const loop = "I will now check the time and then I will check it again. ".repeat(60);
    const pieces = loop.match(/.{1,20}/gsu) ?? [];
    const server = await serve(dialect, [opening, ...pieces.map(text), forever]);
    const { model } = guard(create(server.baseUrl), rules);
    const answer = await ask(model);
    expect(loop.startsWith(answer.text)).toBe(true);
    expect(answer.text.length).toBeLessThan(loop.length);
    expect(answer).toMatchObject({ finishReason: word, rawFinishReason: reason });
    expect(signalOf(answer.providerMetadata)?.reason).toBe(reason);
    const { closed, request } = await server.nextRequest();
    expect(await closed).toBe("gone");
    if ("maxTokens" in rules) expect(request.maxOutputTokens).toBe(16);
  });

  it("gives nobody a call to run that was cut", async () => {
    const json = `{"city":"Oslo","note":"${"so far so good, ".repeat(5)}enough of it"}`;
    const { baseUrl } = await serve(dialect, [opening, text("Look"), ...call("c1", "weather", json), counts, done]);
    const { model, calls } = guard(create(baseUrl), { stop: [{ text: "enough", scope: "tool-arguments" }] });
    const answer = await ask(model);
    expect(answer).toMatchObject({ text: "Look", calls: [], finishReason: "stop", rawFinishReason: "stop_sequence" });
    expect(calls).toMatchObject([{ signal: { reason: "stop_sequence" }, content: [{ type: "text", text: "Look" }] }]);
    // Gemini sends arguments whole, and of a whole nothing is begun before it may be shown.
    if (dialect !== "gemini") expect(calls[0]?.cutCalls).toMatchObject([{ toolCallId: "c1", toolName: "weather" }]);
  });

  it("passes an error of the provider's on as it is", async () => {
    const body = {
      type: "error",
      error: { type: "rate_limit_error", message: "Slow down", code: 429, status: "RESOURCE_EXHAUSTED" },
    };
    const { baseUrl } = await serve(dialect, { status: 429, headers: { "retry-after": "7" }, body });
    const { model, calls } = guard(create(baseUrl), { stop: ["</answer>"] });
    const caught = async (used: typeof model): Promise<unknown> =>
      ask(used).then(
        ({ errors }) => errors,
        (error: unknown) => String(error),
      );
    const plain = await caught(create(baseUrl));
    expect(await caught(model)).toEqual(plain);
    expect(calls).toMatchObject([{ signal: { reason: "error_termination", detail: "rate_limited" }, text: "" }]);
  });
});

// What servers for open models send as thinking in Chat Completions, OpenAI's own provider does not read.
const thinking = ALL.filter(({ dialect }) => dialect !== "openai-chat");

describe.each(thinking)("$name by $by", ({ dialect, create, ask }) => {
  it("watches thinking where it is asked to", async () => {
    const { baseUrl } = await serve(dialect, [opening, reasoning("Hm, EN"), reasoning("OUGH of it"), forever]);
    const { model, calls } = guard(create(baseUrl), { stop: [{ text: "ENOUGH", scope: "reasoning" }] });
    expect(await ask(model)).toMatchObject({ reasoning: "Hm, ", text: "", finishReason: "stop" });
    expect(calls).toMatchObject([{ reasoning: "Hm, " }]);
  });
});

describe("stop strings with the SDK alone", () => {
  const steps = [opening, text("The answer is 42</an"), text("swer> and more"), counts, done];
  const stopSequences = ["a", "b", "c", "d", "</answer>"];

  it("are not sent to OpenAI's Responses, and do not end the answer", async () => {
    const { dialect, create } = modelOf("openai-responses");
    const server = await serve(dialect, steps);
    for (const { ask } of ASKS) {
      expect((await ask(create(server.baseUrl), { stopSequences })).text).toBe("The answer is 42</answer> and more");
    }
    expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain("</answer>");
  });

  it("are sent to OpenAI's Chat Completions beyond the four that it takes", async () => {
    const { dialect, create } = modelOf("openai-chat");
    const server = await serve(dialect, steps);
    for (const { ask } of ASKS) await ask(create(server.baseUrl), { stopSequences });
    expect(server.requests.map(({ body }) => (body as { stop: unknown }).stop)).toEqual([stopSequences, stopSequences]);
  });
});
