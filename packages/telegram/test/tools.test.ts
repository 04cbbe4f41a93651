import { defineTool } from "fullstop/agent";
import { createMemoryStore } from "fullstop/control";
import { call, createGate, createScriptedEngine, finish, start, text, usage } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import { createJumpingClock } from "./support/jumping-clock.ts";
import { askedOf, endsOf, eventsOf, metricOf } from "./support/records.ts";
import { openStage } from "./support/stage.ts";

const callingWeather = [
  start(),
  text("Let me look."),
  ...call("call-1", "weather"),
  usage(100, 20),
  finish("tool_calls"),
];

describe("an answer with tools", () => {
  test("says which tool runs, and goes on below what it said before", async () => {
    const gate = createGate();
    const weather = defineTool({
      name: "weather",
      async execute() {
        await gate.pass();
        return "sunny";
      },
    });
    const engine = createScriptedEngine([callingWeather, [start(), text("It is sunny."), finish()]]);
    const { chat, say, untilLast } = await openStage({ engine, tools: [weather] });

    say("How is the weather?");
    await untilLast((said) => said === "Let me look.\n\n⚙ weather…", "the tool is shown");
    expect(chat.lastFromBot?.buttons).toEqual([["⏹ Stop"]]);
    gate.open();
    await untilLast((said) => said === "Let me look.\n\nIt is sunny.", "it is whole");

    expect(chat.messages).toHaveLength(2);
    expect(askedOf(engine, 1)).toEqual([
      "user: How is the weather?",
      "assistant: Let me look.(tool-call)",
      "tool: sunny",
    ]);
  });

  test("is whole if the model has nothing to add to what it said before", async () => {
    const weather = defineTool({ name: "weather", execute: () => "sunny" });
    const nothing = [start(), finish()];
    const engine = createScriptedEngine([callingWeather, nothing, nothing, nothing]);
    const { api, chat, say } = await openStage({ engine, tools: [weather], settings: { retryMilliseconds: 0 } });

    say("How is the weather?");
    await api.until(() => chat.lastFromBot?.buttons.length === 0, "it has ended");

    expect(chat.lastFromBot?.text).toBe("Let me look.");
  });

  test("is stopped while a tool runs, which is told and has time to end well", async () => {
    const running = createGate();
    const told: unknown[] = [];
    const weather = defineTool({
      name: "weather",
      async execute(_input, { signal }) {
        await running.pass();
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        told.push(signal.reason);
        return "half of it";
      },
    });
    const store = createMemoryStore();
    const engine = createScriptedEngine([callingWeather, [start(), text("never"), finish()]]);
    const { bot, chat, api, say } = await openStage({ engine, store, tools: [weather] });

    running.open();
    say("How is the weather?");
    await api.until(() => chat.lastFromBot?.text.includes("⚙ weather…"), "the tool is shown");
    say("/stop");
    await api.until(() => chat.messages[1]?.text === "Let me look.\n\n[interrupted]", "it is marked");

    expect(await endsOf(store, 1)).toMatchObject([{ reason: "cancelled", detail: "user" }]);
    expect(told).toEqual(["user"]);
    expect(engine.requests).toHaveLength(1);
    expect(await metricOf(bot.registry, "bot_generation_stops_total")).toEqual([
      'bot_generation_stops_total{phase="tool",chat_type="private"} 1',
    ]);
  });

  test("leaves a tool that does not heed the stop, and remembers that it may have run", async () => {
    const never = createGate();
    const weather = defineTool({ name: "weather", execute: never.pass });
    const store = createMemoryStore();
    const engine = createScriptedEngine([callingWeather, [start(), text("Hello."), finish()]]);
    const { api, chat, say, untilLast } = await openStage({
      engine,
      store,
      tools: [weather],
      settings: { graceMilliseconds: 1 },
    });

    say("How is the weather?");
    await never.reached;
    say("/stop");
    const isMarked = (said: string): boolean => said === "Let me look.\n\n[interrupted]";
    await api.until(() => chat.messages.some((message) => isMarked(message.text)), "it is marked");
    await endsOf(store, 1);
    say("Hi");
    await untilLast((said) => said === "Hello.", "the next question is answered");

    expect(askedOf(engine, 1)).toEqual([
      "user: How is the weather?",
      "assistant: Let me look.(tool-call)",
      expect.stringMatching(/^tool: The run was stopped after [\d.]+ s; the tool may have run partly\.$/u),
      "user: The user interrupted the previous answer on purpose.",
      "user: Hi",
    ]);
  });

  test("takes no next step after a stop between a tool's result and it", async () => {
    const store = createMemoryStore();
    let stop: () => Promise<void> = () => Promise.resolve();
    const weather = defineTool({
      name: "weather",
      // The result is there when the stop has been carried out, so that only the check before the next step is left.
      async execute() {
        await stop();
        return "sunny";
      },
    });
    const engine = createScriptedEngine([callingWeather, [start(), text("never"), finish()]]);
    const { api, chat, say, untilLast } = await openStage({ engine, store, tools: [weather] });
    stop = async () => {
      say("/stop");
      await untilLast((said) => said === "Generation stopped.", "it is confirmed");
    };

    say("How is the weather?");
    await api.until(() => chat.messages.some((message) => message.text.endsWith("[interrupted]")), "it is marked");
    await endsOf(store, 1);

    expect(engine.requests).toHaveLength(1);
  });

  test("begins no tool after a stop", async () => {
    const store = createMemoryStore();
    const gate = createGate();
    const ran: string[] = [];
    const weather = defineTool({ name: "weather", execute: () => ran.push("weather") });
    const engine = createScriptedEngine([
      [start(), text("Let me look."), ...call("call-1", "weather"), gate.pass, finish("tool_calls")],
    ]);
    const { say, untilLast } = await openStage({ engine, store, tools: [weather] });

    say("How is the weather?");
    await gate.reached;
    say("/stop");
    await untilLast((said) => said === "Generation stopped.", "it is confirmed");
    gate.open();
    await endsOf(store, 1);

    expect(ran).toEqual([]);
  });

  test("counts the tokens of all its turns when it is stopped after a tool", async () => {
    const gate = createGate();
    const store = createMemoryStore();
    const weather = defineTool({ name: "weather", execute: () => "sunny" });
    const engine = createScriptedEngine([
      callingWeather,
      [start(), text("It is"), usage(150, 7), gate.pass, text(" never"), finish()],
    ]);
    const { bot, say, untilLast } = await openStage({ engine, store, tools: [weather] });

    say("How is the weather?");
    await untilLast((said) => said.endsWith("It is"), "the second turn is seen");
    say("/stop");

    const used = (await eventsOf(store)).filter((event) => event.type === "usage");
    expect(used).toMatchObject([{ usage: { inputTokens: 250, outputTokens: 27 } }]);
    await expect
      .poll(() => metricOf(bot.registry, "bot_tokens_total"))
      .toEqual(['bot_tokens_total{direction="input"} 250', 'bot_tokens_total{direction="output"} 27']);
  });

  test("is interrupted by a message as well, also before it has said anything", async () => {
    const running = createGate();
    const clock = createJumpingClock();
    const weather = defineTool({
      name: "weather",
      execute: (_input, { signal }) =>
        new Promise((resolve) => {
          void running.pass();
          signal.addEventListener("abort", () => resolve("half of it"));
        }),
    });
    const engine = createScriptedEngine([
      [start(), ...call("call-1", "weather"), finish("tool_calls")],
      [start(), text("Hello."), finish()],
    ]);
    const { chat, say, untilLast } = await openStage({ engine, clock, tools: [weather] });

    say("How is the weather?");
    await running.reached;
    await untilLast((said) => said === "⚙ weather…", "the tool is shown");
    say("Never mind");
    await untilLast((said) => said === "Hello.", "the next question is answered");

    expect(chat.messages.map((message) => message.text)).toEqual(["How is the weather?", "Never mind", "Hello."]);
  });
});
