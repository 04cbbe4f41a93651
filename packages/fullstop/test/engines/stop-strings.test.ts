import { describe, expect, it } from "vitest";
import { createClient } from "../../src/agent/index.ts";
import type { AgentResult } from "../../src/agent/index.ts";
import { createRemoteEngine, createSkippableEngine } from "../../src/engines/index.ts";
import type { RemoteRequest } from "../../src/engines/index.ts";
import type { GenerationEvent } from "../../src/index.ts";
import { createGate, finish, start, text, usage } from "../../src/testing/index.ts";
import { tell } from "../support/answers.ts";
import { ask, readAll } from "../support/engine-contract.ts";
import { finishOf } from "../support/events.ts";
import { DIALECTS } from "../support/provider-server.ts";
import { withRemote } from "../support/remote.ts";

/** A request as it can be made to a provider. */
const asked = (others: Partial<RemoteRequest>): RemoteRequest => ask("some-model", others);

const LEAKY = [start(), text("one E"), text("ND two"), usage(9, 40), finish()];

describe.each(DIALECTS)("stop strings in %s", (dialect) => {
  it.each([
    { way: "a stream", stream: true },
    { way: "a whole answer", stream: false },
  ])("are never shown in $way, and named, whatever the provider does", async ({ stream }) => {
    const events = await withRemote(dialect, LEAKY, ({ engine }) => readAll(engine, asked({ stream, stop: ["END"] })));
    expect(tell(events)).toMatchObject({ text: "one ", signal: { reason: "stop_sequence", stopSequence: "END" } });
    expect(finishOf(events).confidence).toBe("high");
  });

  it("close the connection, and what was used is estimated", async () => {
    const gate = createGate();
    await withRemote(dialect, [start(), text("one END"), gate.pass, finish()], async ({ engine, server }) => {
      const events = await readAll(engine, asked({ stop: ["END"] }));
      expect(await server.requests[0]?.closed).toBe("gone");
      expect(events.at(-2)).toMatchObject({ type: "usage", usage: { outputTokens: 2, estimated: true } });
      gate.open();
    });
  });

  it.each([true, false])("are no reason for a model to refuse that knows none (stream: %s)", async (stream) => {
    const body = { error: { message: "Unsupported parameter: 'stop' is not supported with this model.", code: 400 } };
    // Anthropic's models take them, all of them.
    const isRefused = (stop: readonly string[] | undefined): boolean =>
      stop !== undefined && dialect !== "anthropic-messages";
    await withRemote(
      dialect,
      ({ stop }) => (isRefused(stop) ? { status: 400, body } : LEAKY),
      async ({ engine }) => {
        const events = await readAll(engine, asked({ stream, stop: ["END"] }));
        expect(tell(events)).toMatchObject({ text: "one ", signal: { reason: "stop_sequence", stopSequence: "END" } });
      },
    );
  });

  it("of a whole answer cost what the provider has counted", async () => {
    const request = asked({ stream: false, stop: ["END"] });
    const events = await withRemote(dialect, LEAKY, ({ engine }) => readAll(engine, request));
    expect(tell(events).usage).toMatchObject({ inputTokens: 9, outputTokens: 40 });
    expect(tell(events).usage).not.toHaveProperty("estimated");
  });

  it("of a whole answer of long words cost no more than that", async () => {
    const answer = [start(), text("Internationalisation END localisation"), usage(9, 4), finish()];
    const request = asked({ stream: false, stop: ["END"] });
    const events = await withRemote(dialect, answer, ({ engine }) => readAll(engine, request));
    expect(tell(events).usage).toMatchObject({ inputTokens: 9, outputTokens: 4 });
    expect(tell(events).usage).not.toHaveProperty("estimated");
  });

  it("may be many, and of white space: none is refused, and there is nothing to warn of", async () => {
    const stop = ["a1", "b2", "c3", "d4", "e5", "f6", "\n"];
    for (const stream of [true, false]) {
      await withRemote(dialect, [start(), text("one\ntwo"), finish()], async ({ engine, server, warnings }) => {
        const events = await readAll(engine, asked({ stream, stop }));
        expect(tell(events)).toMatchObject({ text: "one", signal: { reason: "stop_sequence", stopSequence: "\n" } });
        expect(server.requests[0]?.request.stop?.length ?? 0).toBeLessThanOrEqual(6);
        expect(warnings.filter(({ field }) => field.startsWith("stop"))).toEqual([]);
      });
    }
  });

  it("leave an answer without them as it is, with the provider's own word", async () => {
    const answer = [start(), text("Hello E"), text("N"), usage(9, 4), finish("token_limit_reached")];
    const events = await withRemote(dialect, answer, ({ engine }) => readAll(engine, asked({ stop: ["END"] })));
    const plain = await withRemote(dialect, answer, ({ engine }) => readAll(engine, asked({})));
    expect(tell(events)).toEqual(tell(plain));
  });

  it("work through a client, which gives the ending and what could not be said", async () => {
    await withRemote(dialect, LEAKY, async ({ engine }) => {
      const client = createClient({ providers: { engine } });
      const sampling = { topK: 5, seed: 7 };
      const result = await client.chat({ model: "some-model", messages: "Count", stop: ["END"], sampling });
      expect(result).toMatchObject({
        end: "completed",
        text: "one ",
        signals: [{ reason: "stop_sequence", stopSequence: "END", confidence: "high" }],
        report: { reason: "stop_sequence" },
      });
      const missing = {
        "openai-chat": ["sampling.topK"],
        "openai-responses": ["sampling.topK", "sampling.seed"],
        "anthropic-messages": ["sampling.seed"],
        gemini: [],
      }[dialect];
      expect(result.warnings.map(({ field }) => field)).toEqual(expect.arrayContaining(missing));
      expect(result.warnings.some(({ field }) => field.startsWith("stop"))).toBe(false);
    });
  });
});

describe("stop strings that a provider ends an answer at", () => {
  it("are named by the provider where it says which one it was", async () => {
    const answer = [start(), text("one "), usage(9, 4), finish("stop_sequence", { stopSequence: "END" })];
    await withRemote("anthropic-messages", answer, async ({ engine, server }) => {
      const events = await readAll(engine, asked({ stop: ["END"] }));
      expect(tell(events)).toMatchObject({
        text: "one ",
        usage: { inputTokens: 9, outputTokens: 4 },
        signal: {
          reason: "stop_sequence",
          stopSequence: "END",
          providerSpecific: { originalField: "delta.stop_reason" },
        },
      });
      expect(server.requests[0]?.request.stop).toEqual(["END"]);
    });
  });

  it("are left to a provider that looks for them as we do, with whatever it was told of them", async () => {
    const provider = { appliesStopStrings: true };
    await withRemote(
      "openai-chat",
      [start(), text("one e two"), finish()],
      async ({ engine, server }) => {
        const events = await readAll(engine, asked({ stop: ["a", "b", "c", "d", "e", " "] }));
        expect(server.requests[0]?.request.stop).toEqual(["a", "b", "c", "d", "e", " "]);
        expect(tell(events)).toMatchObject({ text: "one e two", signal: { reason: "natural_completion" } });
      },
      { provider },
    );
  });

  it.each([{ include: true }, { caseInsensitive: true }, { minTokens: 5 }])(
    "are no provider's where they mean something else to it: %j",
    async (rules) => {
      await withRemote("anthropic-messages", [start(), text("one"), finish()], async ({ engine, server }) => {
        await readAll(engine, asked({ stop: ["END"], rules }));
        await readAll(engine, asked({ stop: ["END"], rules, stream: false }));
        expect(server.requests.map(({ request }) => request.stop)).toEqual([undefined, undefined]);
      });
    },
  );
});

describe("other rules of a request", () => {
  it("are applied to what a provider sends", async () => {
    const rules = { maxCharacters: 7, caseInsensitive: true };
    await withRemote("openai-chat", [start(), text("Hello, world"), finish()], async ({ engine }) => {
      expect(tell(await readAll(engine, asked({ rules })))).toMatchObject({
        text: "Hello, ",
        signal: { reason: "token_limit_reached", detail: "characters" },
      });
      expect(tell(await readAll(engine, asked({ rules, stop: ["LLO"] })))).toMatchObject({
        text: "He",
        signal: { stopSequence: "LLO" },
      });
      const client = createClient({ providers: { engine } });
      const limited = { model: "m", messages: "Hi", maxOutputTokens: 9, rules: { repetition: true, stop: "wor" } };
      expect(await client.chat(limited)).toMatchObject({ end: "completed", text: "Hello, " });
    });
  });

  it.each<[Partial<RemoteRequest>, string]>([
    [{ rules: { stopTokenIds: [5] } as never }, "rules cannot have stopTokenIds: a provider tells no token ids"],
    [{ rules: { maxTokens: 5 } as never }, "rules cannot have maxTokens: use maxOutputTokens of the request"],
    [{ rules: { repetitions: true } as never }, `got "repetitions"`],
    [{ rules: 5 as never }, "rules must be an object, got 5"],
    [{ sampling: { minP: 0.1 } as never }, `got "minP"`],
  ])("%o is refused, and nobody is asked", async (others, message) => {
    await withRemote("openai-chat", [start(), finish()], async ({ engine, server }) => {
      const events = await readAll(engine, asked(others));
      expect(events).toHaveLength(1);
      expect(finishOf(events)).toMatchObject({ reason: "error_termination", detail: "invalid_request" });
      expect(finishOf(events).message).toContain(message);
      expect(server.requests).toEqual([]);
    });
  });
});

describe("a stop string that the length limit cuts in two", () => {
  const first = [start(), text("The answer</ans"), finish("token_limit_reached")];

  async function complete(
    second: readonly GenerationEvent[],
    stops: Pick<RemoteRequest, "stop" | "rules"> = { stop: ["</answer>"] },
  ): Promise<{ result: AgentResult; screen: string; asked: string }> {
    let turns = 0;
    const reply = (): readonly GenerationEvent[] => ((turns += 1) === 1 ? first : second);
    return withRemote("openai-chat", reply, async ({ engine, server }) => {
      const client = createClient({ providers: { engine } });
      const request = { model: "m", messages: "Answer", ...stops, maxOutputTokens: 9 };
      const run = client.stream(request);
      let screen = "";
      for await (const event of run) {
        if (event.type === "rewind") screen = screen.slice(0, event.keep);
        else if (event.type === "generation" && event.event.type === "text") screen += event.event.text;
      }
      return { result: await run.result(), screen, asked: JSON.stringify(server.requests.at(-1)?.request.messages) };
    });
  }

  it("is found in the rest of the answer, and nothing of it stays", async () => {
    const { result, screen, asked: again } = await complete([start(), text("</answer> more"), finish()]);
    expect(result).toMatchObject({ end: "completed", text: "The answer", turns: 2 });
    expect(result.signals.at(-1)).toMatchObject({ reason: "stop_sequence", stopSequence: "</answer>" });
    expect(screen).toBe("The answer");
    expect(again).not.toContain("</ans");
  });

  it.each<Pick<RemoteRequest, "stop" | "rules">>([
    { rules: { stop: "</answer>" } },
    { rules: { stop: [{ text: "</answer>", scope: "all" }], repetition: true } },
    { stop: ["</ANSWER>"], rules: { caseInsensitive: true } },
    { stop: ["END"], rules: { stop: ["</Answer>", "</ansible>!"], caseInsensitive: true } },
  ])("is found in the rest where the request has %j", async (stops) => {
    const { result, screen } = await complete([start(), text("</answer> more"), finish()], stops);
    expect(result).toMatchObject({ end: "completed", text: "The answer", turns: 2 });
    expect(result.signals.at(-1)).toMatchObject({ reason: "stop_sequence" });
    expect(screen).toBe("The answer");
  });

  it("is found in the rest with what the rules want of it", async () => {
    const stops = { rules: { stop: "</answer>", include: true } };
    const { result, screen } = await complete([start(), text("</answer> more"), finish()], stops);
    expect([result.text, screen]).toEqual(["The answer</answer>", "The answer</answer>"]);
  });

  it("is not looked for in the text where the rules look for it in the thinking", async () => {
    const stops = { rules: { stop: [{ text: "</answer>", scope: "reasoning" as const }] } };
    const { result, asked: again } = await complete([start(), text("wer> more"), finish()], stops);
    expect(result.text).toBe("The answer</answer> more");
    expect(again).toContain("</ans");
  });

  it("comes back where it was none", async () => {
    const { result, screen } = await complete([start(), text("</ansible>."), finish()]);
    expect(result).toMatchObject({ end: "completed", text: "The answer</ansible>." });
    expect(screen).toBe(result.text);
  });
});

it("a generation that nobody can cancel needs no signal", async () => {
  await withRemote("openai-chat", [start(), text("Hello"), finish()], async ({ server }) => {
    const { format, baseUrl } = server;
    const engine = createRemoteEngine({ provider: { id: "local", format, baseUrl } });
    const events = [];
    for await (const event of engine.generate(ask())) events.push(event);
    expect(tell(events)).toMatchObject({ text: "Hello" });
  });
});

it("warnings of an engine whose thinking can be skipped are those of the engine in it", async () => {
  await withRemote("anthropic-messages", [start(), text("Hello"), finish()], async ({ engine }) => {
    const generation = createSkippableEngine(engine).generate(
      asked({ sampling: { seed: 7 } }),
      new AbortController().signal,
    );
    for await (const event of generation) if (event.type === "finish") break;
    expect(generation.warnings?.map(({ field }) => field)).toContain("sampling.seed");
  });
});
