import { createGate, createScriptedEngine, call, finish, reasoning, start, text, usage } from "fullstop/testing";
import { defineTool } from "fullstop/agent";
import { expect, test } from "vitest";
import { openStage } from "./support/stage.ts";

test("a whole conversation, as people see it", async () => {
  const story = createGate();
  const sums = createGate();
  const rain = createGate();
  const weather = defineTool({
    name: "weather",
    description: "The weather in a city",
    parameters: { type: "object", properties: { city: { type: "string" } } },
    execute: async () => {
      await rain.pass();
      return "Rain, 9 degrees";
    },
  });
  const engine = createScriptedEngine(
    [
      [start(), text("There was once a **king**"), text(" who had three"), story.pass, finish()],
      [start(), text(" daughters, and the youngest was called *Ada*."), finish()],
      [
        start(),
        reasoning("17 times 23 is 17 times 20"),
        reasoning(" and 17 times 3…"),
        sums.pass,
        text("391."),
        finish(),
      ],
      [start(), text("I look that up."), ...call("call-1", "weather", { city: "Berlin" }), finish("tool_calls")],
      [
        start(),
        text("It rains in Berlin:\n\n| when | degrees |\n|---|---|\n| now | 9 |\n\n```sh\nopen umbrella\n```"),
        usage(90, 40),
        finish(),
      ],
      [start(), text("Paris has"), () => new Promise(() => undefined)],
      [start(), text("Rome has about 2.8 million people."), finish()],
      [start(), text("One, two, three"), finish("token_limit_reached")],
    ],
    { skipsThinking: true },
  );
  const { api, chat, ann, say, untilLast } = await openStage({
    engine,
    tools: [weather],
    settings: { wording: { continuation: "continue" } },
  });

  say("/start");
  await untilLast((said) => said.startsWith("Write to me"), "the bot has introduced itself");

  say("Tell me a story");
  await untilLast((said) => said.endsWith("who had three"), "the story has begun");
  await api.press(chat, ann, "⏹ Stop").answered;
  await untilLast((said) => said.endsWith("[interrupted]"), "the story is interrupted");
  await api.press(chat, ann, "▶ Continue").answered;
  await untilLast((said) => said.endsWith("Ada."), "the story goes on");
  await api.until(() => chat.lastFromBot?.buttons.length === 0, "the story is told");

  say("What is 17 times 23?");
  await api.until(() => chat.lastFromBot?.buttons.flat().includes("⏭ Skip thinking"), "it thinks");
  await api.press(chat, ann, "⏭ Skip thinking").answered;
  await untilLast((said) => said.endsWith("391."), "it answers at once");
  await api.until(() => chat.lastFromBot?.buttons.length === 0, "the sum is done");

  say("Do I need an umbrella in Berlin?");
  await untilLast((said) => said.includes("weather…"), "the tool is seen to run");
  rain.open();
  await untilLast((said) => said.includes("umbrella"), "the tool is done");
  await api.until(() => chat.lastFromBot?.buttons.length === 0, "the weather is told");

  say("How many people live in Paris?");
  await untilLast((said) => said === "Paris has", "Paris is begun");
  say("No, in Rome");
  await untilLast((said) => said.startsWith("Rome has"), "Rome is answered");
  await api.until(() => chat.lastFromBot?.buttons.length === 0, "Rome is done");

  say("/stop");
  await untilLast((said) => said.startsWith("No active"), "there is nothing to stop");
  say("/new");
  await untilLast((said) => said.startsWith("A new conversation"), "all is forgotten");
  story.open();
  sums.open();

  await expect(chat.transcript()).toMatchFileSnapshot("transcripts/conversation.txt");
});
