import { inspect } from "node:util";
import { defineTool } from "fullstop/agent";
import { call, createGate, createScriptedEngine, finish, reasoning, start, text } from "fullstop/testing";
import type { ScriptStep } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import { metricOf } from "./support/records.ts";
import { openStage } from "./support/stage.ts";
import { openWebServer } from "./support/web-server.ts";
import type { Stage } from "./support/stage.ts";
import type { ChatScreen } from "./support/bot-api/index.ts";

type ChatType = "private" | "group" | "supergroup" | "channel";

function openChat({ api, ann, chat }: Stage, type: ChatType): ChatScreen {
  if (type === "private") return chat;
  if (type === "channel") return api.channel({ title: "Whales", admins: [ann] });
  return api.group({ title: "Whales", type, members: [ann] });
}

const PHASES: Readonly<Record<"waiting" | "thinking" | "text" | "tool", readonly ScriptStep[]>> = {
  waiting: [start()],
  thinking: [start(), reasoning("Hmm")],
  text: [start(), reasoning("Hmm"), text("Well")],
  tool: [start(), text("Well"), ...call("call-1", "look"), finish("tool_calls")],
};

describe("a stop is counted by what it interrupts and where", () => {
  const cases = (["private", "group", "supergroup", "channel"] as const).flatMap((type) =>
    (["waiting", "thinking", "text", "tool"] as const).map((phase) => ({ type, phase })),
  );
  test.each(cases)("$phase in a $type chat", async ({ type, phase }) => {
    const gate = createGate();
    const look = defineTool({ name: "look", execute: (_input, { signal }) => wait(gate.pass(), signal) });
    const engine = createScriptedEngine([[...PHASES[phase], gate.pass, finish()]]);
    const stage = await openStage({ engine, tools: [look] });
    const chat = openChat(stage, type);

    stage.api.say(chat, stage.ann, "@fullstop_bot What is it?");
    await gate.reached;
    stage.api.say(chat, stage.ann, "/stop");
    await stage.api.until(() => chat.messages.some((seen) => seen.text === "Generation stopped."), "it is stopped");

    const label = phase === "waiting" ? "thinking" : phase;
    expect(await metricOf(stage.bot.registry, "bot_generation_stops_total")).toEqual([
      `bot_generation_stops_total{phase="${label}",chat_type="${type}"} 1`,
    ]);
  });
});

test("a stop after a tool, before the model goes on, interrupts its thinking", async () => {
  const gate = createGate();
  const look = defineTool({ name: "look", execute: () => "looked" });
  const engine = createScriptedEngine([PHASES.tool, [start(), gate.pass, finish()]]);
  const { bot, say, untilLast } = await openStage({ engine, tools: [look] });

  say("What is it?");
  await gate.reached;
  say("/stop");
  await untilLast((said) => said === "Generation stopped.", "it is stopped");

  expect(await metricOf(bot.registry, "bot_generation_stops_total")).toEqual([
    'bot_generation_stops_total{phase="thinking",chat_type="private"} 1',
  ]);
  // However many turns it takes, an answer has one beginning.
  const [...seconds] = await metricOf(bot.registry, "bot_generation_first_output_seconds");
  expect(seconds).toContain("bot_generation_first_output_seconds_count 1");
});

async function wait(work: Promise<void>, signal: AbortSignal): Promise<string> {
  await Promise.race([work, new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))]);
  return "looked";
}

test("an answer is counted from its beginning to its end", async () => {
  const gate = createGate();
  const engine = createScriptedEngine([[start(), text("Well"), gate.pass, finish()]]);
  const { bot, say, untilLast } = await openStage({ engine });

  say("What is it?");
  await untilLast((said) => said === "Well", "the answer has begun");
  expect(await metricOf(bot.registry, "bot_generations_running")).toEqual(["bot_generations_running 1"]);
  say("/stop");

  await expect.poll(() => metricOf(bot.registry, "bot_generations_running")).toEqual([]);
  expect(await metricOf(bot.registry, "bot_generations_total")).toEqual([
    'bot_generations_total{end="stopped",chat_type="private"} 1',
  ]);
  expect(await metricOf(bot.registry, "bot_generation_stop_seconds")).toContain("bot_generation_stop_seconds_count 1");
});

test("the log has stops with their circumstances, and no word of what was written", async () => {
  const gates = [createGate(), createGate(), createGate()] as const;
  const look = defineTool({
    name: "look",
    execute() {
      throw new Error("xylophone in the tool");
    },
  });
  const engine = createScriptedEngine([
    [start(), reasoning("xylophone thinking"), text("xylophone answer"), gates[0].pass, finish()],
    [start(), text("xylophone again"), gates[1].pass, finish()],
    [start(), ...call("call-1", "look", { at: "xylophone" }), finish("tool_calls")],
    [() => Promise.reject(new Error("xylophone upstream"))],
    [finish("error_termination", { message: "xylophone failure" })],
    [finish("error_termination", { message: "xylophone failure" })],
  ]);
  const stage = await openStage({ engine, tools: [look], settings: { retryMilliseconds: 0 } });
  const { api, ann, chat, say, untilLast, logged } = stage;

  say("xylophone question");
  await untilLast((said) => said.endsWith("xylophone answer"), "the first answer has begun");
  api.pressData(chat, ann, "xylophone");
  say("xylophone interruption");
  await untilLast((said) => said === "xylophone again", "the second answer has begun");
  say("/stop xylophone");
  await untilLast((said) => said === "Generation stopped.", "it is stopped");
  api.refuse("sendMessage", { code: 400, description: "Bad Request: can't parse entities" });
  say("xylophone tool");
  await untilLast((said) => said === "[the model could not answer]", "it has failed");

  expect(logged.filter(({ message }) => message === "an answer was stopped").map(({ fields }) => fields)).toMatchObject(
    [
      { reason: "new_message", phase: "answering", chatType: "private" },
      { reason: "user", phase: "answering", chatType: "private" },
    ],
  );
  expect(logged.filter(({ message }) => message === "the model has failed").map(({ fields }) => fields)).toMatchObject([
    { reason: "error_termination" },
  ]);
  expect(inspect(logged, { depth: Infinity })).not.toContain("xylophone");
});

test("the log says why a model cannot be asked, without what it says about it", async () => {
  const url = await openWebServer((_request, response) => {
    const error = { message: "Incorrect API key provided: sk-abc", type: "invalid_request_error" };
    response.writeHead(401, { "content-type": "application/json" }).end(JSON.stringify({ error }));
  });
  const { say, untilLast, logged } = await openStage({ gateway: { url } });

  say("Hello");
  await untilLast((said) => said === "[the model could not answer]", "it has failed");

  expect(logged.map(({ level, message, fields }) => ({ level, message, ...fields }))).toMatchObject([
    {
      level: "warn",
      message: "the model has failed",
      reason: "error_termination",
      detail: "invalid_request",
      status: 401,
    },
  ]);
  expect(inspect(logged, { depth: Infinity })).not.toContain("sk-abc");
});
