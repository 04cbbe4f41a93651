import { describe, expect, it } from "vitest";
import type { Message, RequestWarning, ToolDefinition } from "../../src/index.ts";
import type { LlamaRequest } from "../../src/llama/index.ts";
import { openPip, read, say, think, user } from "../support/local-model.ts";

const TOOLS: readonly ToolDefinition[] = [
  {
    name: "get_weather",
    description: "Get the weather in a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
  {
    name: "roll_die",
    description: "Roll a die",
    parameters: { type: "object", properties: { sides: { type: "number" } }, required: ["sides"] },
  },
];

describe("Pip with tools", () => {
  const engine = openPip({ sequences: 1 });

  it("calls one, with its arguments as they are written", async () => {
    const answer = await read(engine, think("What is the weather in Oslo?", { tools: TOOLS }));
    expect(answer.calls).toEqual([{ name: "get_weather", json: '{"city": "Oslo"}', isComplete: true }]);
    expect(answer.signal.reason).toBe("tool_calls");
    expect(answer.text).toBe("");
    expect(answer.reasoning).not.toBe("");
    const deltas = answer.events.filter((event) => event.type === "tool-call-delta" && event.json !== "");
    expect(deltas.length).toBeGreaterThan(2);
  });

  it("calls two in one turn", async () => {
    const request = think("Roll a dice with 8 sides and then get the weather in Oslo", { tools: TOOLS });
    const answer = await read(engine, request);
    expect(answer.calls.map(({ name, isComplete }) => [name, isComplete])).toEqual([
      ["roll_die", true],
      ["get_weather", true],
    ]);
    expect(answer.signal.reason).toBe("tool_calls");
    expect(answer.text).toBe("");
  });

  it("calls one only where one call at a time was asked for", async () => {
    const request = think("Roll a dice with 8 sides and then get the weather in Oslo", { tools: TOOLS });
    const answer = await read(engine, { ...request, parallelToolCalls: false });
    expect(answer.calls.map(({ name }) => name)).toEqual(["roll_die"]);
    expect(answer.signal.reason).toBe("tool_calls");
  });

  it("answers from a result", async () => {
    const messages: Message[] = [
      user("What is the weather in Oslo?"),
      {
        role: "assistant",
        content: [{ type: "tool-call", callId: "c", name: "get_weather", json: '{"city": "Oslo"}' }],
      },
      { role: "tool", callId: "c", content: [{ type: "text", text: '{"temperature": 7, "condition": "rainy"}' }] },
    ];
    const answer = await read(engine, { model: "local", messages, tools: TOOLS, reasoning: { effort: "none" } });
    expect(answer.text).toMatch(/7|rain/u);
    expect(answer.signal.reason).toBe("natural_completion");
  });

  it("has to call some tool", async () => {
    const answer = await read(engine, say("Hello", { tools: TOOLS, toolChoice: "required" }));
    expect(answer.calls).toHaveLength(1);
    expect(answer.calls[0]?.isComplete).toBe(true);
    expect(answer.signal.reason).toBe("tool_calls");
  });

  it("has to call a certain tool", async () => {
    const request = say("What is the weather in Oslo?", { tools: TOOLS, toolChoice: { name: "roll_die" } });
    const answer = await read(engine, { ...request, parallelToolCalls: false });
    expect(answer.calls.map(({ name }) => name)).toEqual(["roll_die"]);
    expect(answer.usage!.outputTokens).toBeGreaterThan(5);
  });

  it("has to call the only tool that there is by its name, if it has to call any", async () => {
    const parameters = { type: "object", properties: { a: { type: "string" } } };
    const answer = await read(engine, say("hi", { tools: [{ name: "f", parameters }], toolChoice: "required" }));
    expect(answer.calls.map(({ name }) => name)).toEqual(["f"]);
  });

  it("is told of no other tools than those that it may call", async () => {
    const [, die] = TOOLS;
    const some = say("Roll it.", { tools: TOOLS, toolChoice: { allowed: ["roll_die"], mode: "required" } });
    const answer = await read(engine, { ...some, parallelToolCalls: false });
    const alone = await read(engine, { ...some, tools: [die!], toolChoice: "required", parallelToolCalls: false });
    expect(answer.calls).toHaveLength(1);
    expect(answer.usage?.inputTokens).toBe(alone.usage?.inputTokens);
  });

  it("must not call any", async () => {
    const answer = await read(engine, say("What is the weather in Oslo?", { tools: TOOLS, toolChoice: "none" }));
    expect(answer.calls).toEqual([]);
    expect(answer.text).not.toBe("");
  });

  it("leaves a call open that the limit has cut, whichever token it falls on", async () => {
    const request = say("What is the weather in Oslo?", { tools: TOOLS });
    const whole = await read(engine, request);
    for (let most = 1; most < whole.usage!.outputTokens - 1; most++) {
      const answer = await read(engine, { ...request, maxOutputTokens: most });
      expect(answer.signal.reason).toBe("token_limit_reached");
      expect(answer.usage?.outputTokens).toBe(most);
      expect(answer.text).toBe("");
      const isLast = most === whole.usage!.outputTokens - 2;
      expect(answer.calls.some(({ isComplete }) => isComplete) && !isLast).toBe(false);
    }
  });

  it("is not stopped by a stop string in the arguments", async () => {
    const answer = await read(engine, say("What is the weather in Oslo?", { tools: TOOLS, stop: ["Oslo"] }));
    expect(answer.calls[0]?.json).toBe('{"city": "Oslo"}');
    expect(answer.signal.reason).toBe("tool_calls");
  });

  it.each<[string, Partial<LlamaRequest>]>([
    [
      "Anthropic's, by its name",
      {
        toolChoice: { name: "web_search" },
        native: {
          format: "anthropic-messages",
          fields: { tools: [{ type: "web_search_20250305", name: "web_search" }] },
        },
      },
    ],
    [
      "OpenAI's, by its type",
      {
        native: {
          format: "openai-responses",
          fields: { tools: [{ type: "web_search" }], tool_choice: { type: "web_search" } },
        },
      },
    ],
  ])("calls none in place of a tool that has to be called and is %s", async (_, chosen) => {
    const request = say("What is the weather in Oslo?", { tools: TOOLS, maxOutputTokens: 30, ...chosen });
    let warnings: readonly RequestWarning[] = [];
    const answer = await read(engine, request, undefined, (__, generation) => (warnings = generation.warnings ?? []));
    expect(answer.calls).toEqual([]);
    expect(answer.text).not.toBe("");
    expect(warnings.map(({ field }) => field)).toContain("toolChoice");
  });

  it.each([
    ["a tool that is not there", { tools: TOOLS, toolChoice: { name: "fly" } }, /"fly".*get_weather, roll_die/u],
    [
      "a choice among tools that are not there",
      { tools: TOOLS, toolChoice: { allowed: ["fly"], mode: "required" } },
      /no tools/u,
    ],
    ["an output shape beside tools", { tools: TOOLS, output: { type: "json" } }, /not both/u],
  ] as const)("refuses %s", async (_, others, message) => {
    const answer = await read(engine, say("Hello", others));
    expect(answer.signal.detail).toBe("invalid_request");
    expect(answer.signal.message).toMatch(message);
  });
});
