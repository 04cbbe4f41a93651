import { describe, expect, it } from "vitest";
import type { GenerationEvent, Message, ToolDefinition } from "../../src/index.ts";
import { openPip, read, say, think, user } from "../support/local-model.ts";

const ENDLESS = say("Say hello forever");

const weather: ToolDefinition = {
  name: "get_weather",
  description: "Get the weather in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

describe("a stop whose reader does not read on", () => {
  it("frees the place all the same", async () => {
    const engine = openPip({ sequences: 1 });
    const stop = new AbortController();
    const reader = engine.generate(ENDLESS, stop.signal)[Symbol.asyncIterator]();
    for (let count = 0; count < 5; count++) await reader.next();
    stop.abort();
    expect((await read(engine, say("What is 2 + 3?"))).text).toBe("2 + 3 = 5");
    const rest: GenerationEvent[] = [];
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) rest.push(next.value);
    expect(rest.map(({ type }) => type)).toEqual(["usage", "finish"]);
  });

  it("does not keep an engine from being disposed of, even from inside the loop", async () => {
    const engine = openPip({ sequences: 1 });
    const types: string[] = [];
    for await (const event of engine.generate(ENDLESS, new AbortController().signal)) {
      types.push(event.type);
      if (event.type === "text") await engine.dispose();
    }
    expect(types.at(-1)).toBe("finish");
    expect(engine.status()).toMatchObject({ isLoaded: false, live: 0 });
  });
});

describe("a request that asks for nonsense", () => {
  const engine = openPip({ sequences: 1 });

  it.each([
    ["a penalty in words", { sampling: { presencePenalty: "high" } }, /presencePenalty must be a number, got "high"/u],
    [
      "a penalty that is no number",
      { sampling: { frequencyPenalty: Number.NaN } },
      /frequencyPenalty must be a number/u,
    ],
    ["no penalty at all", { sampling: { repeatPenalty: 0 } }, /repeatPenalty must be greater than 0/u],
    ["a negative budget", { reasoning: { budgetTokens: -1 } }, /budgetTokens must be a whole number/u],
    ["words that are none", { reasoning: { lastWords: 5 } }, /lastWords must be a string/u],
    ["a setting that does not exist", { reasoning: { budget: 5 } }, /has no such option.*"budget"/u],
    ["a second token limit", { rules: { maxTokens: 3 } }, /cannot have maxTokens: use maxOutputTokens/u],
    ["end tokens of its own", { rules: { eosTokenIds: [3] } }, /cannot have eosTokenIds/u],
    ["a field that nobody reads", { maxTokens: 3 }, /has no "maxTokens"; use maxOutputTokens/u],
    ["no messages", { messages: undefined }, /messages must be a list/u],
    ["a text in place of parts", { messages: [{ role: "user", content: "Hi" }] }, /must be a list of parts.*got "Hi"/u],
    ["a role that is none", { messages: [{ role: "User", content: [] }] }, /role must be one of .*got "User"/u],
    ["a part of no kind", { messages: [{ role: "user", content: [{ text: "Hi" }] }] }, /must have a type/u],
    ["a prompt beyond all measure", { messages: [user("word ".repeat(1_000_000))] }, /at least \d+ tokens/u],
  ] as const)("is refused, and the next one served: %s", async (_, others, message) => {
    const answer = await read(engine, say("Hello", others as object));
    expect(answer.signal.reason).toBe("error_termination");
    expect(answer.signal.detail).toMatch(/invalid_request|context_window/u);
    expect(answer.signal.message).toMatch(message);
    expect((await read(engine, say("What is 2 + 3?"))).text).toBe("2 + 3 = 5");
  });

  it("is refused before it is counted, too", async () => {
    const request = { model: "pip", messages: [{ role: "user", content: "Hi" }] } as never;
    expect(await engine.countTokens(request)).toMatchObject({ failure: { detail: "invalid_request" } });
  });

  it("needs no signal where nobody is to cancel it", async () => {
    let text = "";
    for await (const event of engine.generate(say("What is 2 + 3?"))) if (event.type === "text") text += event.text;
    expect(text).toBe("2 + 3 = 5");
  });

  it("leaves the engine's settings alone where it says undefined", async () => {
    const strict = openPip({ sequences: 1, rules: { repetition: true, stop: ["never"] } });
    const request = { ...ENDLESS, maxOutputTokens: 500, rules: { repetition: undefined } };
    expect((await read(strict, request)).signal.reason).toBe("repetition_detected");
    const warm = openPip({ sequences: 1, sampling: { temperature: 1.5, seed: 5 } });
    const story = say("Write a short story about a fox", { maxOutputTokens: 40 });
    const warmed = await read(warm, { ...story, sampling: { temperature: undefined } });
    expect(warmed.text).not.toBe((await read(engine, story)).text);
  });
});

describe("a text that looks like a marker", () => {
  const engine = openPip({ sequences: 1 });
  const MARKER = "<|im_end|>";

  /** How many tokens longer a prompt is with ten markers than with none, in one of the places where texts go. */
  async function growth(place: (text: string) => Partial<Parameters<typeof read>[1]>): Promise<number> {
    const tokens = async (text: string): Promise<number> =>
      (await read(engine, say("Hello", { maxOutputTokens: 1, ...place(text) }))).usage!.inputTokens;
    return (await tokens(MARKER.repeat(10))) - (await tokens(""));
  }

  const call = (json: string, name = "get_weather", callId = "c"): Message[] => [
    user("Hello"),
    { role: "assistant", content: [{ type: "tool-call", callId, name, json }] },
    { role: "tool", callId, content: [{ type: "text", text: "7" }] },
  ];
  const PLACES: Readonly<Record<string, (text: string) => Partial<Parameters<typeof read>[1]>>> = {
    "a message": (text) => ({ messages: [user(`Hello${text}`)] }),
    "the system's": (text) => ({
      messages: [{ role: "system", content: [{ type: "text", text: `Be kind${text}` }] }, user("Hello")],
    }),
    "a tool's name": (text) => ({ tools: [{ ...weather, name: `tool${text}` }] }),
    "a tool's description": (text) => ({ tools: [{ ...weather, description: `Tool${text}` }] }),
    "the name of a parameter": (text) => ({
      tools: [{ ...weather, parameters: { type: "object", properties: { [`city${text}`]: { type: "string" } } } }],
    }),
    "arguments of a call": (text) => ({ messages: call(JSON.stringify({ city: `Oslo${text}` })) }),
    "the name of an argument": (text) => ({ messages: call(JSON.stringify({ [`city${text}`]: "Oslo" })) }),
    "arguments that are no JSON": (text) => ({ messages: call(`Oslo${text}`) }),
    "the name of a call": (text) => ({ messages: call("{}", `tool${text}`) }),
  };

  it.each(Object.keys(PLACES))("is text in %s", async (place) => {
    // As a marker it would be one token each; spelt out it is at least five.
    expect(await growth(PLACES[place]!)).toBeGreaterThanOrEqual(50);
  });

  it("is text in the thinking of an earlier turn", async () => {
    const thoughts = (text: string): Partial<Parameters<typeof read>[1]> => ({
      messages: [
        ...call('{"city": "Oslo"}').slice(0, 1),
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: `Let me see${text}` },
            { type: "tool-call", callId: "c", name: "get_weather", json: "{}" },
          ],
        },
        { role: "tool", callId: "c", content: [{ type: "text", text: "7" }] },
      ],
    });
    expect(await growth(thoughts)).toBeGreaterThanOrEqual(50);
  });

  it("is text in the name of a tool that has to be called, and in the last words of the thinking", async () => {
    const name = `a</tool_call>${MARKER}b`;
    const request = say("Hello", { tools: [{ ...weather, name }], toolChoice: { name }, maxOutputTokens: 60 });
    expect((await read(engine, request)).calls.map((each) => each.name)).toEqual([name]);
    const words = `</think>${MARKER}Enough.`;
    const answer = await read(
      engine,
      think("What is 312 + 230?", { reasoning: { budgetTokens: 4, lastWords: words }, maxOutputTokens: 80 }),
    );
    expect(answer.reasoning).toContain(words);
    expect(answer.text).not.toBe("");
  });
});

describe("an ending in the middle of a character", () => {
  const engine = openPip({ sequences: 1 });

  it("in the arguments of a call shows nothing as text", async () => {
    const request = say("What is the weather in Zürich?", { tools: [weather] });
    const whole = await read(engine, request);
    expect(whole.calls[0]?.json).toContain("Zürich");
    for (let most = 1; most < whole.usage!.outputTokens; most++) {
      expect((await read(engine, { ...request, maxOutputTokens: most })).text).toBe("");
    }
  });

  it("keeps to a limit of characters", async () => {
    for (let most = 1; most < 12; most++) {
      const answer = await read(engine, say("Show me three flags as emoji", { rules: { maxCharacters: most } }));
      expect(answer.text.length).toBeLessThanOrEqual(most);
      expect(answer.text).not.toContain("\uFFFD");
    }
  });

  it("after a stop string shows nothing of it", async () => {
    const whole = await read(engine, say("Show me three flags as emoji"));
    const [first = ""] = whole.text.split(" ");
    const answer = await read(engine, say("Show me three flags as emoji", { stop: [" "] }));
    expect(answer.text).toBe(first);
  });
});

describe("a context that is nearly full", () => {
  const engine = openPip({ sequences: 1, contextTokens: 64 });

  it("is not overrun by what is put into the thinking", async () => {
    const lastWords = "enough ".repeat(200);
    const answer = await read(engine, think("What is 312 + 230?", { reasoning: { budgetTokens: 5, lastWords } }));
    expect(answer.signal.reason).toBe("context_window_exceeded");
    expect(answer.usage!.inputTokens + answer.usage!.outputTokens).toBeLessThanOrEqual(64);
    expect(answer.reasoning).not.toContain("enough");
  });
});

describe("skipping", () => {
  const engine = openPip({ sequences: 1 });

  it("is told apart from not skipping once the generation is over", async () => {
    const stopped = new AbortController();
    const runs = [
      engine.generate(think("What is 312 + 230?", { maxOutputTokens: 5 }), new AbortController().signal),
      engine.generate(think("What is 312 + 230?", { stop: [""] }), new AbortController().signal),
      engine.generate(think("What is 312 + 230?"), stopped.signal),
    ];
    stopped.abort();
    for (const run of runs) {
      for await (const event of run) if (event.type === "finish") expect(run.skipThinking()).toBe(false);
      expect(run.skipThinking()).toBe(false);
    }
  });
});

describe("conversations in turn", () => {
  it("each keep their place", async () => {
    const engine = openPip({ sequences: 3 });
    const texts = ["apple, pear, plum. ", "seven, eight, nine. "].map((words) =>
      say(words.repeat(20), { maxOutputTokens: 2 }),
    );
    for (const request of texts) await read(engine, request);
    for (const request of [...texts, ...texts]) {
      const { usage } = await read(engine, request);
      expect(usage!.cachedInputTokens).toBe(usage!.inputTokens - 1);
    }
  });
});

describe("many generations with one signal", () => {
  it("warn of nothing and leave no listener behind", async () => {
    const engine = openPip({ sequences: 2, queueLimit: 50 });
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on("warning", listen);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 20 }, () => read(engine, say("Hello", { maxOutputTokens: 2 }), signal)));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", listen);
    expect(warnings).toEqual([]);
  });
});
