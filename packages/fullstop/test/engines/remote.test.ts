import { describe, expect, it } from "vitest";
import type { GenerationEvent, GenerationRequest, TerminationReason } from "../../src/index.ts";
import { call, createGate, finish, reasoning, signature, start, text, usage } from "../../src/testing/index.ts";
import { tell } from "../support/answers.ts";
import { ask, readAll } from "../support/engine-contract.ts";
import { finishOf } from "../support/events.ts";
import { ASKED_DIALECTS } from "../support/provider-server.ts";
import type { AskedDialect } from "../support/provider-server.ts";
import { KEY, withRemote } from "../support/remote.ts";

const WAYS = [
  { way: "as a stream", stream: undefined },
  { way: "as a stream that was asked for", stream: true },
  { way: "as a whole", stream: false },
] as const;

const CASES = ASKED_DIALECTS.flatMap((dialect) => WAYS.map((way) => ({ dialect, ...way })));

/** Asks for one answer. */
function answerOf(
  dialect: AskedDialect,
  events: readonly GenerationEvent[],
  request: Partial<GenerationRequest> = {},
): Promise<GenerationEvent[]> {
  return withRemote(dialect, events, ({ engine }) => readAll(engine, ask("some-model", request)));
}

describe.each(CASES)("an answer in $dialect $way", ({ dialect, stream }) => {
  it("has its text, its id, its model and its counts", async () => {
    const events = await answerOf(dialect, [start(), text("Hello, "), text("wörld"), usage(9, 4), finish()], {
      stream,
    });
    // Ollama has no ids.
    expect(events[0]).toEqual(dialect === "ollama-chat" ? start("") : start());
    expect(tell(events)).toMatchObject({
      text: "Hello, wörld",
      usage: { inputTokens: 9, outputTokens: 4 },
      signal: { reason: "natural_completion", confidence: "high" },
    });
  });

  it("has its thinking, and the proof of it where the dialect has one", async () => {
    const script = [start(), reasoning("Two and "), reasoning("two."), signature("proof"), text("Four."), finish()];
    const events = await answerOf(dialect, script, { stream });
    expect(tell(events)).toMatchObject({ reasoning: "Two and two.", text: "Four." });
    const signatures = events.flatMap((event) => (event.type === "reasoning" ? (event.signature ?? []) : []));
    // In Chat a proof is a list of details, of which this one is none.
    const hasProofs = dialect !== "openai-chat" && dialect !== "ollama-chat";
    expect(signatures).toEqual(hasProofs ? ["proof"] : []);
  });

  it("has its tool calls, whole and in order", async () => {
    const calls = [...call("a", "weather", { city: "Berlin" }), ...call("b", "weather", { city: "Oslo" })];
    const events = await answerOf(dialect, [start(), text("Let me see."), ...calls, finish("tool_calls")], { stream });
    expect(tell(events)).toMatchObject({
      text: "Let me see.",
      toolCalls: [
        { name: "weather", arguments: '{"city":"Berlin"}', isEnded: true },
        { name: "weather", arguments: '{"city":"Oslo"}', isEnded: true },
      ],
      signal: { reason: "tool_calls" },
    });
  });

  const inChat: readonly TerminationReason[] = ["natural_completion", "token_limit_reached", "content_filtered"];
  const inMessages: readonly TerminationReason[] = ["stop_sequence", "paused", "context_window_exceeded"];

  const inOllama: readonly TerminationReason[] = ["natural_completion", "token_limit_reached"];
  const elsewhere = dialect === "ollama-chat" ? inOllama : inChat;

  it.each(dialect === "anthropic-messages" ? [...inChat, ...inMessages] : elsewhere)("ends with %s", async (reason) => {
    const parts = reason === "stop_sequence" ? { stopSequence: "END" } : {};
    const events = await answerOf(dialect, [start(), text("Hello"), finish(reason, parts)], { stream });
    expect(finishOf(events)).toMatchObject({ reason, ...parts });
  });

  it("ends with the error that the provider reports", async () => {
    const error = finish("error_termination", { originalValue: "overloaded_error", message: "Too busy" });
    const events = await answerOf(dialect, [start(), text("Hel"), error], { stream });
    expect(finishOf(events)).toMatchObject({
      reason: "error_termination",
      // Responses has a short list of errors, and Ollama has words for people only.
      ...(dialect !== "ollama-chat" && { detail: dialect === "openai-responses" ? "server_error" : "overloaded" }),
      message: "Too busy",
    });
  });

  it("leaves no doubt that an end was none by a stop string", async () => {
    const events = await answerOf(dialect, [start(), text("Hello"), finish()], { stream, stop: ["END"] });
    expect(finishOf(events)).toMatchObject({ reason: "natural_completion", confidence: "high" });
    expect(finishOf(events).detail).toBeUndefined();
  });
});

describe.each(ASKED_DIALECTS)("a request in %s", (dialect) => {
  it("arrives as it was made, as a stream unless that is not wanted", async () => {
    const request: GenerationRequest = {
      model: "some/model-1",
      messages: [
        { role: "system", content: [{ type: "text", text: "Be brief." }] },
        { role: "user", content: [{ type: "text", text: "Hello, wörld" }] },
      ],
      tools: [{ name: "weather", parameters: { type: "object", properties: {} } }],
      stop: ["END"],
      maxOutputTokens: 100,
      sampling: { temperature: 0.5 },
    };
    await withRemote(dialect, [start(), text("Hi"), finish()], async ({ engine, server, warnings }) => {
      await readAll(engine, request);
      await readAll(engine, { ...request, stream: false });
      const { stop, ...others } = request;
      // Anthropic says which one it was. Told to others, that would not be known, and models that think refuse them.
      const told = dialect === "anthropic-messages" ? stop : undefined;
      expect(server.requests.map((received) => received.request)).toMatchObject([
        { ...others, stream: true },
        { ...others, stream: false },
      ]);
      expect(server.requests.map((received) => received.request.stop)).toEqual([told, told]);
      expect(server.requests[0]).toMatchObject({ method: "POST", headers: { "content-type": "application/json" } });
      const stream = dialect === "ollama-chat" ? "application/x-ndjson" : "text/event-stream";
      expect(server.requests.map(({ headers }) => headers.accept)).toEqual([stream, "application/json"]);
      expect(warnings).toEqual([]);
    });
  });

  it("is given up before the first byte: the connection is closed at once", async () => {
    const gate = createGate();
    await withRemote(dialect, [gate.pass, start(), finish()], async ({ engine, server }) => {
      const controller = new AbortController();
      const reading = readAll(engine, ask(), controller.signal);
      const received = await server.nextRequest();
      controller.abort("operator");
      expect(await received.closed).toBe("gone");
      expect(await reading).toMatchObject([{ signal: { reason: "cancelled", detail: "operator" } }]);
      gate.open();
    });
  });

  it("is given up in the middle: the connection is closed at once", async () => {
    const gate = createGate();
    await withRemote(dialect, [start(), text("Hel"), gate.pass, text("lo"), finish()], async ({ engine, server }) => {
      const controller = new AbortController();
      const events: GenerationEvent[] = [];
      for await (const event of engine.generate(ask(), controller.signal)) {
        events.push(event);
        if (event.type === "text") controller.abort();
      }
      expect(await server.requests[0]?.closed).toBe("gone");
      expect(tell(events)).toMatchObject({ text: "Hel", signal: { reason: "cancelled", detail: "user" } });
      gate.open();
    });
  });

  it("is given up when its reader leaves", async () => {
    const gate = createGate();
    await withRemote(dialect, [start(), text("Hel"), gate.pass, finish()], async ({ engine, server }) => {
      for await (const event of engine.generate(ask(), new AbortController().signal)) {
        if (event.type === "text") break;
      }
      expect(await server.requests[0]?.closed).toBe("gone");
      gate.open();
    });
  });

  it("is given up when its reader leaves in the middle of a silence", async () => {
    const gate = createGate();
    await withRemote(dialect, [gate.pass, start(), finish()], async ({ engine, server }) => {
      const events = engine.generate(ask(), new AbortController().signal)[Symbol.asyncIterator]();
      const waiting = events.next();
      const received = await server.nextRequest();
      await events.return?.();
      expect(await received.closed).toBe("gone");
      await waiting;
      gate.open();
    });
  });
});

describe("a remote engine", () => {
  it("does not ask at all when it was cancelled before, or is never read", async () => {
    await withRemote("openai-chat", [start(), finish()], async ({ engine, server }) => {
      engine.generate(ask(), new AbortController().signal);
      await readAll(engine, ask(), AbortSignal.abort());
      await readAll(engine);
      expect(server.requests).toHaveLength(1);
    });
  });

  it.each([true, false])("uses connections again, when stream is %s", async (stream) => {
    await withRemote("openai-chat", [start(), text("Hello"), finish()], async ({ engine, server }) => {
      for (let count = 0; count < 6; count++) await readAll(engine, ask("some-model", { stream }));
      expect(server.requests).toHaveLength(6);
      // The one that has just been used may not be free at once.
      expect(server.connectionCount()).toBeLessThanOrEqual(3);
    });
  });

  it("sends what identifies the caller", async () => {
    await withRemote("openai-chat", [start(), finish()], async ({ engine, server }) => {
      await readAll(engine);
      expect(server.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
    });
  });

  it("asks for headers anew for each request", async () => {
    let count = 0;
    const headers = (): Promise<Record<string, string>> => Promise.resolve({ authorization: `Bearer ${++count}` });
    await withRemote(
      "openai-chat",
      [start(), finish()],
      async ({ engine, server }) => {
        await readAll(engine);
        await readAll(engine);
        expect(server.requests.map((request) => request.headers.authorization)).toEqual(["Bearer 1", "Bearer 2"]);
      },
      { provider: { headers } },
    );
  });

  it.each<[string, unknown]>([
    ["headers that cannot be had", () => Promise.reject(new Error(`no token for ${KEY.repeat(4)}`))],
    ["headers that cannot be sent", () => ({ authorization: `Bearer ${KEY}\n` })],
  ])("ends with an error for %s, without the key in it", async (_what, headers) => {
    await withRemote(
      "openai-chat",
      [start(), finish()],
      async ({ engine, server }) => {
        const events = await readAll(engine);
        expect(finishOf(events)).toMatchObject({ reason: "error_termination", detail: "exception" });
        expect(JSON.stringify(events)).not.toContain(KEY);
        expect(server.requests).toEqual([]);
      },
      { provider: { headers: headers as () => Record<string, string> } },
    );
  });

  it("ends with an error for a request that cannot be written", async () => {
    await withRemote("openai-chat", [start(), finish()], async ({ engine, server }) => {
      const tools = [{ name: "count", parameters: { most: 10n } }];
      const events = await readAll(engine, ask("some-model", { tools }));
      expect(finishOf(events)).toMatchObject({ reason: "error_termination", detail: "exception" });
      const empty = await readAll(engine, { model: "some-model" } as GenerationRequest);
      expect(finishOf(empty)).toMatchObject({ reason: "error_termination", detail: "invalid_request" });
      expect(server.requests).toEqual([]);
    });
  });
});
