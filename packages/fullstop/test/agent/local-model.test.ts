import { describe, expect, it } from "vitest";
import { createAgentRun, createClient, defineTool } from "../../src/agent/index.ts";
import type { AgentEvent, AgentOptions, AgentRun } from "../../src/agent/index.ts";
import type { Message } from "../../src/index.ts";
import { createGate } from "../../src/testing/index.ts";
import { openPip, read, user } from "../support/local-model.ts";
import { show } from "../support/viewer.ts";

const NUMBERS_TO_150 = Array.from({ length: 150 }, (_, index) => index + 1);

const weather = defineTool({
  name: "get_weather",
  description: "Get the weather in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: () => ({ temperature: 7, condition: "rainy" }),
});

const die = defineTool({
  name: "roll_die",
  description: "Roll a die",
  parameters: { type: "object", properties: { sides: { type: "number" } }, required: ["sides"] },
  execute: () => ({ result: 5 }),
});

describe("an agent on Pip", () => {
  const engine = openPip({ sequences: 1 });

  function open(text: string, options: Partial<AgentOptions> = {}): AgentRun {
    return createAgentRun({ engine, request: { model: "pip", messages: [user(text)] }, ...options });
  }

  async function readAll(run: AgentRun, onEvent: (event: AgentEvent) => void = () => undefined) {
    for await (const event of run) onEvent(event);
    return run.result();
  }

  it("asks a tool and answers with what it says", async () => {
    const result = await readAll(open("What is the weather in Oslo?", { tools: [weather, die] }));
    expect(result.end).toBe("completed");
    expect(result.turns).toBe(2);
    expect(result.toolCalls.map(({ call }) => [call.name, call.json])).toEqual([["get_weather", '{"city": "Oslo"}']]);
    expect(result.text).toMatch(/7/u);
    expect(result.text).toMatch(/rain/u);
    expect(result.signals.map(({ reason }) => reason)).toEqual(["tool_calls", "natural_completion"]);
    expect(result.usage).not.toHaveProperty("estimated");
  });

  it("leaves its thinking when it is asked to, and answers in the same turn", async () => {
    const question = "What is 312 + 230?";
    const request = { model: "pip", messages: [user(question)], reasoning: { effort: "high" } };
    const run = open(question, { request });
    const outcomes: boolean[] = [];
    let thoughts = 0;
    const result = await readAll(run, (event) => {
      if (event.type !== "generation" || event.event.type !== "reasoning") return;
      thoughts += 1;
      if (thoughts === 4) outcomes.push(run.skipThinking());
    });
    expect(outcomes).toEqual([true]);
    expect(thoughts).toBeLessThan(8);
    expect(result).toMatchObject({ end: "completed", turns: 1 });
    expect(result.text).not.toBe("");
    expect(run.skipThinking()).toBe(false);
  });

  it("asks two tools in one turn", async () => {
    const result = await readAll(
      open("Roll a dice with 8 sides and then get the weather in Oslo", { tools: [weather, die] }),
    );
    expect(result.end).toBe("completed");
    expect(result.turns).toBe(2);
    expect(result.toolCalls.map(({ call }) => call.name)).toEqual(["roll_die", "get_weather"]);
  });

  describe("that polls a job which never ends", () => {
    const poll = defineTool({
      name: "poll_status",
      description: "Get the status of a job",
      parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      execute: () => ({ status: "pending" }),
    });

    it("is told so after the third time, and leaves off", async () => {
      const nudges: string[] = [];
      const result = await readAll(open("Keep checking job chance", { tools: [poll] }), (event) => {
        if (event.type === "nudge") nudges.push(event.rule);
      });
      expect(nudges).toEqual(["repeated_calls"]);
      expect(result.toolCalls).toHaveLength(3);
      expect(result.end).toBe("completed");
    });

    it("is stopped after the fifth time if it does not listen", async () => {
      const settings = { wording: { repeatedCalls: "Keep checking job chance" } };
      const result = await readAll(open("Keep checking job chance", { tools: [poll], settings }));
      expect(result.end).toBe("repeated_calls");
      expect(result.toolCalls).toHaveLength(5);
      expect(new Set(result.toolCalls.map(({ call }) => call.json)).size).toBe(1);
    });
  });

  it.each([
    ["Count from 1 to 150", 180],
    ["Count from 1 to 150", 233],
    ["Count from 1 to 150, one per line", 150],
    ["Count from 1 to 150, one per line", 171],
  ])("goes on where a small limit has cut it: %s, %i tokens at a time", async (text, maxOutputTokens) => {
    let shown = "";
    const run = open(text, {
      request: { model: "pip", messages: [user(text)], maxOutputTokens, reasoning: { effort: "none" } },
      settings: { resumeAt: "word", wording: { continuation: () => "continue" } },
    });
    const result = await readAll(run, (event) => (shown = show(shown, event)));
    expect(result.end).toBe("completed");
    expect(result.turns).toBeGreaterThan(2);
    expect(result.text.split(/, |\n/u).map(Number)).toEqual(NUMBERS_TO_150);
    expect(shown).toBe(result.text);
    expect(result.messages).toHaveLength(2);
    expect(result.usage.outputTokens).toBeGreaterThan(2 * maxOutputTokens);
  });

  it("raises the limit itself where the caller has set none", async () => {
    const client = createClient({ providers: { pip: engine } });
    const result = await client.chat({ model: "pip/pip", messages: [user("Count from 1 to 20")] });
    expect(result.end).toBe("completed");
    expect(result.text).toContain("19, 20");
  });

  it("stopped in the middle of a thought, takes the next message as if nothing had been", async () => {
    const run = open("What is 312 + 230?");
    let thoughts = 0;
    const result = await readAll(run, (event) => {
      if (event.type === "generation" && event.event.type === "reasoning" && (thoughts += 1) === 10) run.stop("user");
    });
    expect(result).toMatchObject({ end: "stopped", text: "", signals: [{ reason: "cancelled", detail: "user" }] });
    expect(result.usage).not.toHaveProperty("estimated");
    expect(result.usage.outputTokens).toBeGreaterThanOrEqual(10);
    expect(await next(result.messages, "What is 2 + 3?")).toMatch(/2 \+ 3 = 5/u);
  });

  it("stopped in the middle of a tool, leaves a history that it accepts", async () => {
    const gate = createGate();
    const slow = defineTool({ ...toDescription(weather), execute: gate.pass });
    const run = open("What is the weather in Oslo?", { tools: [slow], settings: { graceMilliseconds: 0 } });
    const result = await readAll(run, (event) => {
      if (event.type === "tool-start") run.stop("user");
    });
    gate.open();
    expect(result.end).toBe("stopped");
    const calls = result.messages.flatMap((message) =>
      message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [],
    );
    const results = result.messages.filter((message) => message.role === "tool");
    expect(results.map(({ callId }) => callId)).toEqual(calls.map(({ callId }) => callId));
    expect(calls).toHaveLength(1);
    expect(await next(result.messages, "What is 2 + 3?")).toMatch(/2 \+ 3 = 5/u);
  });

  it("stopped in the middle of its text, keeps it and goes on when asked", async () => {
    const run = open("Count from 1 to 50", {
      request: { model: "pip", messages: [user("Count from 1 to 50")], reasoning: { effort: "none" } },
    });
    let pieces = 0;
    const result = await readAll(run, (event) => {
      if (event.type === "generation" && event.event.type === "text" && (pieces += 1) === 30) run.stop("user");
    });
    expect(result.text).toMatch(/^1, 2, 3, /u);
    expect(result.messages.at(1)).toMatchObject({ role: "assistant", isPartial: true });
  });

  /** What the model answers to one more message after a conversation. */
  async function next(messages: readonly Message[], text: string): Promise<string> {
    const answer = await read(engine, { model: "pip", messages: [...messages, user(text)] });
    expect(answer.signal.reason).toBe("natural_completion");
    return answer.text;
  }
});

function toDescription({ definition }: typeof weather) {
  const { name, description, parameters } = definition;
  return { name, description, parameters };
}
