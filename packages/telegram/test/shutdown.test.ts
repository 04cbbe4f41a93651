import { createMemoryStore } from "fullstop/control";
import { createGate, createScriptedEngine, finish, start } from "fullstop/testing";
import { expect, test } from "vitest";
import { changeStore } from "./support/changed-store.ts";
import { metricOf } from "./support/records.ts";
import { openStage } from "./support/stage.ts";

test("a bot that is stopped says so also where nothing was seen yet, and to those who wait", async () => {
  const gate = createGate();
  const engine = createScriptedEngine(() => [start(), gate.pass, finish()]);
  const { api, bot, chat, say } = await openStage({ engine, whenBusy: "queue" });
  say("Begin a story");
  await gate.reached;
  say("Then another one");
  await api.until(() => api.pendingUpdates === 0, "both have come");

  await bot.stop();

  expect(chat.messages.map(({ text: said }) => said)).toEqual([
    "Begin a story",
    "Then another one",
    "[interrupted]",
    "[interrupted]",
  ]);
  expect(engine.requests).toHaveLength(1);
});

test("a first sign of life that was there before the store knew of the answer is put right after a crash", async () => {
  const opening = createGate();
  const memory = createMemoryStore();
  const writeDocument: typeof memory.writeDocument = async (folder, ...others) => {
    if (folder.startsWith("telegram-unfinished")) await opening.pass();
    return memory.writeDocument(folder, ...others);
  };
  const held = createGate();
  const engine = createScriptedEngine([[start(), held.pass, finish()]]);
  const { api, bot, chat, say } = await openStage({ engine, store: changeStore(memory, { writeDocument }) });
  say("Begin a story");
  await expect.poll(() => metricOf(bot.registry, "bot_message_calls_total")).toHaveLength(1);
  opening.open();
  await held.reached;

  const folder = `telegram-unfinished-${Number.parseInt(api.token, 10)}`;
  const [name = ""] = await memory.documentNames(folder);
  const stored = await memory.readDocument(folder, name);
  expect(JSON.parse(stored?.value ?? "")).toMatchObject({ messageIds: [chat.lastFromBot?.id] });
});
