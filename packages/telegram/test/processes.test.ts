import type { GenerationRequest } from "fullstop";
import { createGate, createScriptedEngine, finish, reasoning, start, text } from "fullstop/testing";
import type { Gate, ScriptedEngine } from "fullstop/testing";
import type { Middleware } from "grammy";
import { describe, expect, test } from "vitest";
import { ENGLISH } from "../src/words/english.ts";
import { startBotProcess } from "./support/bot-process.ts";
import { createFedEngine } from "./support/fed-engine.ts";
import { openTwoProcesses } from "./support/processes.ts";
import type { TwoProcesses } from "./support/processes.ts";

interface Held extends TwoProcesses {
  readonly gate: Gate;
  readonly engines: Readonly<Record<"a" | "b", ScriptedEngine>>;
}

const said = (request: GenerationRequest | undefined): readonly string[] =>
  (request?.messages ?? []).map(
    ({ role, content }) => `${role}: ${content.map((part) => (part.type === "text" ? part.text : "")).join("")}`,
  );

/** Two processes, of which the first writes an answer that does not go on until the gate is opened. */
async function openHeld({ drafts = false, thinks = false } = {}): Promise<Held> {
  const gate = createGate();
  const beginning = thinks ? reasoning("Let me see…") : text("Once upon");
  const a = createScriptedEngine([[start(), beginning, gate.pass, text(" a time"), finish()]], {
    skipsThinking: thinks,
  });
  const b = createScriptedEngine([[start(), text("Here I am."), finish()]]);
  const two = await openTwoProcesses({ a: { engine: a, drafts }, b: { engine: b, drafts } });
  two.api.say(two.chat, two.ann, "Tell me a story");
  await gate.reached;
  return { ...two, gate, engines: { a, b } };
}

describe("two processes that are one bot", () => {
  test("a stop reaches the answer of the other one", async () => {
    const { api, chat, ann, sendTo } = await openHeld();
    await api.until(() => chat.lastFromBot?.text === "Once upon", "the beginning is seen");

    sendTo("b");
    api.say(chat, ann, "/stop");
    await api.until(() => chat.lastFromBot?.text === "Generation stopped.", "it is confirmed");
    await api.until(() => chat.messages[1]?.text === "Once upon\n\n[interrupted]", "it is marked");

    expect(chat.messages[1]?.buttons).toEqual([["▶ Continue", "🔄 Regenerate"]]);
  });

  test.each([
    { command: "/stop", to: "a", said: ENGLISH.nothingToStop },
    { command: "/stop", to: "b", said: ENGLISH.nothingToStop },
    { command: "/new", to: "a", said: ENGLISH.newConversation },
    { command: "/new", to: "b", said: ENGLISH.newConversation },
  ] as const)("$command that comes late to $to leaves what was asked after it", async (row) => {
    const late = createGate();
    const before: Middleware = async (context, next) => {
      if (context.msg?.text === row.command) await late.pass();
      await next();
    };
    const [a, b] = [createFedEngine(), createFedEngine()];
    const two = await openTwoProcesses({ a: { engine: a, before }, b: { engine: b, before } });
    const { api, chat, ann, sendTo } = two;
    sendTo(row.to);
    api.say(chat, ann, row.command);
    await late.reached;
    sendTo("a");
    api.say(chat, ann, "Tell me a story");
    const feed = await a.feed(0);
    feed.say("Once upon");
    await api.until(() => chat.lastFromBot?.text === "Once upon", "the beginning is seen");

    late.open();
    await api.until(() => chat.lastFromBot?.text === row.said, "it is said what has come of it");
    feed.say(" a time");
    feed.end();
    await api.until(() => chat.messages[2]?.buttons.length === 0, "the answer has ended");

    expect(chat.messages[2]?.text).toBe("Once upon a time");
  });

  test("what the other one says and has waiting in a group that becomes a supergroup ends, and what was said goes along", async () => {
    const [a, b] = [createFedEngine(), createFedEngine()];
    const whenBusy = "queue";
    const two = await openTwoProcesses({ a: { engine: a, whenBusy }, b: { engine: b, whenBusy } });
    const { api, ann, members, sendTo } = two;
    const group = api.group({ title: "Whales", members: [ann] });
    const supergroup = api.group({ title: "Whales", type: "supergroup", members: [ann] });
    api.say(group, ann, "@fullstop_bot whales");
    (await a.feed(0)).say("They are big.");
    await api.until(() => group.lastFromBot?.text === "They are big.", "the beginning is seen");
    api.say(group, ann, "@fullstop_bot eels");
    const listed = `telegram-waiting-${api.botInfo.id}`;
    await expect.poll(() => members.b.store.documentNames(listed)).toHaveLength(1);

    const chat = { id: group.id, type: "group", title: "Whales" } as const;
    const message = { message_id: 900, date: 0, chat, from: ann, migrate_to_chat_id: supergroup.id } as const;
    await members.b.bot.grammy.handleUpdate({ update_id: 900_000_000, message });
    const conversations = `telegram-conversations-${api.botInfo.id}`;
    await expect.poll(() => members.b.store.documentNames(conversations)).toEqual([`${supergroup.id}_${ann.id}`]);
    sendTo("b");
    api.say(supergroup, ann, "@fullstop_bot and?");

    expect(said((await b.feed(0)).request).slice(0, 2)).toEqual(["user: whales", "assistant: They are big."]);
    expect(a.feeds).toHaveLength(1);
    expect(await members.b.store.documentNames(conversations)).toEqual([`${supergroup.id}_${ann.id}`]);
  });

  test("an administrator's stop as a reply reaches the answer of the other one", async () => {
    const [first, second] = [createGate(), createGate()];
    const a = createScriptedEngine([[start(), text("Once"), first.pass, text(" upon"), second.pass, finish()]]);
    const b = createScriptedEngine([]);
    const { api, ann, sendTo } = await openTwoProcesses({ a: { engine: a }, b: { engine: b } });
    const [cleo, ben] = [api.person({ firstName: "Cleo" }), api.person({ firstName: "Ben" })];
    const group = api.group({ title: "Friends", admins: [cleo, ben], members: [ann] });
    api.say(group, ann, "@fullstop_bot tell us a story");
    await api.until(() => group.lastFromBot?.text === "Once", "the beginning is seen");
    first.open();
    // An edit is made when it is recorded which message the answer is in.
    const answer = await api.until(
      () => (group.lastFromBot?.text === "Once upon" ? group.lastFromBot : undefined),
      "more",
    );

    sendTo("b");
    api.say(group, ben, "/stop", { replyTo: answer });
    await api.until(() => group.lastFromBot?.text === "Generation stopped.", "it is confirmed");
    await api.until(() => group.messages[1]?.text === "Once upon\n\n[interrupted]", "it is marked");

    expect(group.messages).toHaveLength(4);
  });

  test("the stop button works at the other one, and says so when it is pressed again", async () => {
    const { api, chat, ann, sendTo } = await openHeld();
    await api.until(() => chat.lastFromBot?.text === "Once upon", "the beginning is seen");
    // The last edit does not come through at first, so that the button stays.
    const edit = createGate();
    api.delay("editMessageText", edit);

    sendTo("b");
    expect((await api.press(chat, ann, "⏹ Stop").answered).text).toBe("Stopping…");
    expect((await api.press(chat, ann, "⏹ Stop").answered).text).toBe("Already stopping");

    edit.open();
    await api.until(() => chat.lastFromBot?.text === "Once upon\n\n[interrupted]", "it is marked");
  });

  test("a press after the end is answered by the other one", async () => {
    const { api, chat, ann, sendTo, gate } = await openHeld();
    await api.until(() => chat.lastFromBot?.text === "Once upon", "the beginning is seen");
    const data = stopDataOf(api);
    gate.open();
    await api.until(() => chat.lastFromBot?.text === "Once upon a time", "it is written");
    await api.until(() => chat.lastFromBot?.buttons.length === 0, "it is whole");

    sendTo("b");
    // The record is closed a moment after the last message is seen.
    await expect.poll(async () => (await api.pressData(chat, ann, data).answered).text).toBe("Already finished");
  });

  test("thinking is skipped by the other one", async () => {
    const { api, chat, ann, sendTo, gate } = await openHeld({ thinks: true });
    await api.until(() => chat.lastFromBot?.buttons.flat().includes("⏭ Skip thinking"), "the button is seen");

    sendTo("b");
    const { answered } = api.press(chat, ann, "⏭ Skip thinking");

    expect((await answered).text).toBe("Skipping the thinking…");
    await api.until(() => chat.lastFromBot?.text.endsWith("a time"), "it answers");
    gate.open();
  });

  test("the stop button of a draft reaches the answer of the other one", async () => {
    const { api, chat, sendTo } = await openHeld({ drafts: true });
    await api.until(() => chat.draft()?.text === "Once upon", "the draft is seen");

    sendTo("b");
    api.stopDraft(chat);
    await api.until(() => chat.lastFromBot?.text === "Once upon\n\n[interrupted]", "it is kept as a message");

    expect(chat.messages).toHaveLength(2);
  });

  test("a new message to the other one interrupts quietly, and is answered with what was said in mind", async () => {
    const { api, chat, ann, sendTo, engines } = await openHeld();
    await api.until(() => chat.lastFromBot?.text === "Once upon", "the beginning is seen");

    sendTo("b");
    api.say(chat, ann, "Something else");
    await api.until(() => chat.lastFromBot?.text === "Here I am.", "it is answered");

    expect(chat.messages.map((message) => message.text)).toEqual([
      "Tell me a story",
      "Once upon\n\n[interrupted]",
      "Something else",
      "Here I am.",
    ]);
    expect(said(engines.b.requests[0])).toEqual([
      "user: Tell me a story",
      "assistant: Once upon",
      "user: The user interrupted the previous answer on purpose.",
      "user: Something else",
    ]);
  });

  test("the same update to both is handled once", async () => {
    const { api, chat, ann, members, gate, engines } = await openHeld();
    gate.open();
    await api.until(() => chat.lastFromBot?.text === "Once upon a time", "it is answered");

    await members.b.bot.grammy.handleUpdate(api.updates[0]!);
    api.say(chat, ann, "/stop");
    await api.until(() => chat.lastFromBot?.text === "No active generation to stop.", "the next one is answered");

    expect(engines.b.requests).toHaveLength(0);
  });
});

test.each([1, 2, 3])(
  "two messages that come to two processes at the same moment get one answer at a time, %i",
  async () => {
    let running = 0;
    let most = 0;
    const engine = createScriptedEngine((request) => [
      () => {
        running += 1;
        most = Math.max(most, running);
      },
      start(),
      text(said(request).at(-1) ?? ""),
      // Long enough for somebody who has not waited to come in between.
      () => new Promise((resolve) => setImmediate(resolve)),
      () => void (running -= 1),
      finish(),
    ]);
    const whenBusy = "queue";
    const { api, chat, ann, members } = await openTwoProcesses({ a: { engine, whenBusy }, b: { engine, whenBusy } });
    await members.a.bot.grammy.api.deleteWebhook();
    api.say(chat, ann, "First");
    api.say(chat, ann, "Second");
    const [first, second] = api.updates;

    await Promise.all([members.a.bot.grammy.handleUpdate(first!), members.b.bot.grammy.handleUpdate(second!)]);
    await api.until(
      () => chat.messages.length === 4 && chat.messages.every(({ buttons }) => buttons.length === 0),
      "both are answered",
    );

    expect(most).toBe(1);
    expect(said(engine.requests[1])).toHaveLength(3);
  },
);

describe("when Redis goes away in the middle of an answer", () => {
  test("the answer goes on, and is in the conversation when it is back", async () => {
    const { api, chat, ann, proxy, sendTo, gate, engines, members } = await openHeld();
    await api.until(() => chat.lastFromBot?.text === "Once upon", "the beginning is seen");

    proxy.cut();
    gate.open();
    await api.until(() => chat.lastFromBot?.text === "Once upon a time", "it goes on");
    expect(members.a.logged.map(({ message }) => message)).toContain("the store could not record an answer");
    proxy.mend();
    await api.until(() => chat.lastFromBot?.buttons.length === 0, "it is whole");
    await expect.poll(async () => (await members.b.store.live()).length).toBe(0);
    sendTo("b");
    api.say(chat, ann, "Go on");
    await api.until(() => chat.lastFromBot?.text === "Here I am.", "the other one answers");

    expect(said(engines.b.requests[0]).slice(0, 2)).toEqual(["user: Tell me a story", "assistant: Once upon a time"]);
  });

  test("a question is answered all the same", async () => {
    const engine = createScriptedEngine([[start(), text("Here I am."), finish()]]);
    const { api, chat, ann, proxy, members } = await openTwoProcesses({ a: { engine }, b: { engine } });

    proxy.cut();
    api.say(chat, ann, "Are you there?");
    await api.until(() => chat.lastFromBot?.text === "Here I am.", "it is answered");
    proxy.mend();

    await expect
      .poll(() => members.a.logged.map(({ message }) => message))
      .toContain("a question is answered without what was said before");
  });

  test("a stop in the same process works, and one elsewhere says that it could not be reached", async () => {
    const { api, chat, ann, proxy, sendTo } = await openHeld();
    await api.until(() => chat.lastFromBot?.text === "Once upon", "the beginning is seen");
    const data = stopDataOf(api);

    proxy.cut();
    sendTo("b");
    api.say(chat, ann, "/stop");
    await api.until(() => chat.lastFromBot?.text.startsWith("It could not be reached."), "it is said");
    const { answered } = api.pressData(chat, ann, data);
    expect((await answered).text).toMatch(/^It could not be reached/u);
    sendTo("a");
    api.say(chat, ann, "/stop");
    await api.until(() => chat.lastFromBot?.text === "Generation stopped.", "it is confirmed");

    await api.until(() => chat.messages[1]?.text === "Once upon\n\n[interrupted]", "it is marked");
    proxy.mend();
  });
});

test("a process that lives finishes the answer of one that has died, and knows of it", async () => {
  const engine = createScriptedEngine([[start(), text("Here I am."), finish()]]);
  const leaseMilliseconds = 1_000;
  const two = await openTwoProcesses({ a: { engine, leaseMilliseconds }, b: { engine, leaseMilliseconds } });
  const { api, chat, ann, redis, members } = two;
  // The process that is going to die gets updates by polling, which ends the webhook of the others.
  const dying = await startBotProcess(api, { redis: redis.url }, { leaseMilliseconds });
  api.say(chat, ann, "Begin a story");
  await api.until(() => chat.lastFromBot?.text.includes("Once upon"), "the beginning is seen");
  dying.goOn();
  await api.until(() => chat.lastFromBot?.text.includes("Once upon a time"), "more is seen");

  await dying.kill();
  api.say(chat, ann, "Are you there?");
  await members.a.bot.grammy.handleUpdate(api.updates.at(-1)!);
  await api.until(() => chat.lastFromBot?.text === "Here I am.", "it is answered");
  await api.until(() => chat.messages[1]?.text.includes("[interrupted]"), "the one before is marked");

  expect(said(engine.requests[0])).toEqual([
    "user: Begin a story",
    "assistant: Once upon a time",
    "user: The previous answer was interrupted (owner_lost).",
    "user: Are you there?",
  ]);
});

test("a process that was only taken for dead leaves its answer to the one that has finished it", async () => {
  const engine = createScriptedEngine((request) => [start(), text(said(request).join("\n")), finish()]);
  const leaseMilliseconds = 1_000;
  const two = await openTwoProcesses({ a: { engine, leaseMilliseconds }, b: { engine, leaseMilliseconds } });
  const { api, chat, ann, redis, members } = two;
  const frozen = await startBotProcess(api, { redis: redis.url }, { leaseMilliseconds });
  const ask = async (question: string): Promise<void> => {
    api.say(chat, ann, question);
    await members.a.bot.grammy.handleUpdate(api.updates.at(-1)!);
    const isAnswered = (): boolean => chat.lastFromBot?.text.endsWith(question) === true;
    await api.until(() => isAnswered() && chat.lastFromBot?.buttons.length === 0, `"${question}" is answered`);
  };
  api.say(chat, ann, "Say it all");
  await api.until(() => chat.lastFromBot?.text === "This is", "the beginning is seen");

  frozen.freeze();
  await api.until(() => chat.lastFromBot?.text === "This is\n\n[interrupted]", "it is marked by another one");
  await ask("Are you there?");
  // The model goes on in a process that does not know yet that nobody waits for it.
  frozen.goOn();
  frozen.thaw();
  expect(await frozen.stop()).toBe(0);
  await ask("And now?");

  expect(chat.messages[1]?.text).toMatch(/^This is( all\.|\n\n\[interrupted\])/u);
  expect(chat.messages[1]?.buttons.flat()).not.toContain("⏹ Stop");
  expect(said(engine.requests[1]).filter((line) => line.startsWith("assistant: This is"))).toEqual([
    "assistant: This is",
  ]);
});

test("a bot whose Redis is gone for good can be stopped, and lets its process end", async () => {
  const engine = createScriptedEngine([]);
  const { api, chat, ann, redis } = await openTwoProcesses({ a: { engine }, b: { engine } });
  const bot = await startBotProcess(api, { redis: redis.url });
  api.say(chat, ann, "Begin a story");
  await api.until(() => chat.lastFromBot?.text.includes("Once upon"), "the beginning is seen");

  await redis.kill();
  expect(await bot.stop()).toBe(0);

  expect(chat.lastFromBot?.text).toContain("[interrupted]");
});

/** What is in the stop button that was shown last. */
function stopDataOf(api: TwoProcesses["api"]): string {
  const calls = [...api.callsOf("sendMessage"), ...api.callsOf("editMessageText")];
  const markup = calls.map(({ parameters }) => JSON.stringify(parameters)).join("");
  return /stop:[\w-]{22}/u.exec(markup)?.[0] ?? "";
}
