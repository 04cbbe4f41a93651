import { createMemoryStore } from "fullstop/control";
import { createGate, createScriptedEngine, finish, start, text } from "fullstop/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { startBotApi } from "./support/bot-api/index.ts";
import { createJumpingClock } from "./support/jumping-clock.ts";
import { askedOf, endsOf, metricOf } from "./support/records.ts";
import { startBot } from "./support/open-bot.ts";
import { openStage } from "./support/stage.ts";

const NOT_ALLOWED = "This bot is not open to everybody.";
const TOO_MANY = "That is too much at once. Try again in a minute.";
const NEW = "A new conversation. I have forgotten the one before.";

const answering = (said: string) => createScriptedEngine(() => [start(), text(said), finish()]);

test("another bot that writes to it is not answered, or the two of them would never stop", async () => {
  const engine = answering("Hello.");
  const { api, bot, chat, ann, say } = await openStage({ engine });
  const other = { id: 99, is_bot: true, first_name: "Other" };
  const message = { message_id: 50, date: 0, chat: { id: chat.id, type: "private", first_name: "Ann" } } as const;

  await bot.grammy.handleUpdate({ update_id: 1_000_001, message: { ...message, from: other, text: "Hi" } });
  await bot.grammy.handleUpdate({
    update_id: 1_000_002,
    message: { ...message, message_id: 51, from: ann, text: "Hi" },
  });
  await api.until(() => chat.lastFromBot?.text === "Hello.", "Ann is answered");
  say("/stop");
  await api.until(() => chat.lastFromBot?.text.startsWith("No active"), "all is quiet");

  expect(engine.requests).toHaveLength(1);
});

describe("a bot for some people", () => {
  test("answers those on its list, wherever they are, and tells others in private only", async () => {
    const engine = answering("Hello.");
    const { api, bot } = await openStage({ engine, allow: { users: [11] } });
    const ada = api.person({ id: 11, firstName: "Ada" });
    const bob = api.person({ id: 12, firstName: "Bob" });
    const group = api.group({ title: "Whales", members: [ada, bob] });

    api.say(group, bob, "@fullstop_bot Hi");
    api.say(group, bob, "/stop@fullstop_bot");
    api.say(group, bob, "/new@fullstop_bot");
    api.say(group, bob, "/help@fullstop_bot");
    api.say(group, ada, "@fullstop_bot Hi");
    await api.until(() => group.lastFromBot?.text === "Hello.", "Ada is answered");
    const chat = api.privateChat(bob);
    // Whoever goes on all the same is not told again and again.
    for (const said of ["/start", "Hi", "/help"]) api.say(chat, bob, said);
    await api.until(() => chat.lastFromBot, "Bob is told");
    await bot.stop();

    expect(group.messages.filter(({ isFromBot }) => isFromBot)).toHaveLength(1);
    expect(chat.messages.filter(({ isFromBot }) => isFromBot).map((message) => message.text)).toEqual([NOT_ALLOWED]);
    expect(engine.requests).toHaveLength(1);
  });

  test("answers everybody in the chats on its list", async () => {
    const engine = answering("Hello.");
    // The first group of a played Telegram has this number.
    const { api, chat, say, untilLast } = await openStage({ engine, allow: { chats: [-1_002_000_000_001] } });
    const bob = api.person({ firstName: "Bob" });
    const group = api.group({ title: "Whales", members: [bob] });

    api.say(group, bob, "@fullstop_bot Hi");
    await api.until(() => group.lastFromBot?.text === "Hello.", "Bob is answered");
    say("Hi");
    await untilLast((said) => said === NOT_ALLOWED, "Ann is turned away");

    expect(chat.messages).toHaveLength(2);
  });

  test("does not go on for somebody who is not on its list any more, whose buttons are still there", async () => {
    const api = await startBotApi();
    onTestFinished(() => api.close());
    const ann = api.person({ firstName: "Ann" });
    const chat = api.privateChat(ann);
    const store = createMemoryStore();
    const gate = createGate();
    const cut = createScriptedEngine([[start(), text("Once upon"), gate.pass, finish()]]);
    const first = await startBot(api, { engine: cut, store });
    api.say(chat, ann, "Tell me a story");
    await api.until(() => chat.lastFromBot, "the beginning is seen");
    // A bot that is stopped marks what it writes, which can be continued.
    await first[Symbol.asyncDispose]();
    const engine = answering("Never");
    const second = await startBot(api, { engine, store, allow: { users: [11] } });
    onTestFinished(() => second[Symbol.asyncDispose]());

    for (const button of ["▶ Continue", "🔄 Regenerate"]) {
      expect(await api.press(chat, ann, button).answered).toMatchObject({ text: NOT_ALLOWED, isAlert: true });
    }

    expect(engine.requests).toHaveLength(0);
  });

  test("is stopped by an administrator who is not on its list, and says nothing else to them", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), text("Once"), gate.pass, finish()]]);
    const { api } = await openStage({ engine, allow: { users: [11] } });
    const ada = api.person({ id: 11, firstName: "Ada" });
    const [bob, cleo] = [api.person({ firstName: "Bob" }), api.person({ firstName: "Cleo" })];
    const group = api.group({ title: "Whales", admins: [cleo], members: [ada, bob] });
    api.say(group, ada, "@fullstop_bot Tell me a story");
    const answer = await api.until(() => group.lastFromBot, "the beginning is seen");

    api.say(group, bob, "/stop", { replyTo: answer });
    api.say(group, cleo, "/stop");
    api.say(group, cleo, "/stop", { replyTo: answer });
    await api.until(() => group.lastFromBot?.text === "Generation stopped.", "it is confirmed");

    await api.until(() => group.messages.find(({ text: said }) => said === "Once\n\n[interrupted]"), "it is marked");
    expect(group.messages.filter(({ isFromBot }) => isFromBot)).toHaveLength(2);
  });
});

describe("one person", () => {
  test("may write so often in a minute, and again when it is over", async () => {
    const clock = createJumpingClock();
    const engine = answering("Hello.");
    const { api, bot, chat, say } = await openStage({ engine, clock, people: { messagesPerMinute: 2 } });
    const saidOf = (said: string): number => chat.messages.filter((message) => message.text === said).length;

    for (const [index, said] of ["One", "Two"].entries()) {
      say(said);
      await api.until(() => saidOf("Hello.") === index + 1, "it is answered");
    }
    for (const said of ["Three", "Four", "Five"]) say(said);
    await api.until(() => saidOf(TOO_MANY) === 1, "it is too much");
    await expect
      .poll(() => metricOf(bot.registry, "bot_updates_total"))
      .toContain('bot_updates_total{kind="too_many"} 3');
    const bob = api.person({ firstName: "Bob" });
    api.say(api.privateChat(bob), bob, "One");
    await api.until(() => api.privateChat(bob).lastFromBot?.text === "Hello.", "others are answered");
    clock.jump(60_000);
    for (const said of ["Six", "Seven"]) say(said);
    await api.until(() => saidOf("Hello.") === 3, "it is answered again");
    say("Eight");
    await api.until(() => saidOf(TOO_MANY) === 2, "it is too much again, and said again");

    expect(saidOf(TOO_MANY)).toBe(2);
  });

  test("may always stop, however much was written", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), text("Once"), gate.pass, finish()]]);
    const { chat, say, untilLast } = await openStage({ engine, people: { messagesPerMinute: 1 } });

    say("One");
    await untilLast((said) => said === "Once", "the answer has begun");
    say("Two");
    await untilLast((said) => said === TOO_MANY, "it is too much");
    say("/stop");
    await untilLast((said) => said !== TOO_MANY, "it is answered");

    expect(chat.lastFromBot?.text).toBe("Generation stopped.");
  });

  test("has so many answers at once, in all places together", async () => {
    const gate = createGate();
    const engine = createScriptedEngine(() => [start(), text("Once"), gate.pass, text(" more."), finish()]);
    const { api, ann, chat, say, untilLast } = await openStage({ engine, people: { answersAtOnce: 2 } });
    const groups = ["One", "Two"].map((title) => api.group({ title, members: [ann] }));
    const [first, second] = groups as [(typeof groups)[0], (typeof groups)[0]];

    say("Hi");
    await untilLast((said) => said === "Once", "the first has begun");
    api.say(first, ann, "@fullstop_bot Hi");
    await api.until(() => first.lastFromBot?.text === "Once", "the second has begun");
    api.say(second, ann, "@fullstop_bot Hi");
    await api.until(() => second.lastFromBot?.text === TOO_MANY, "the third is too much");
    // It takes the place of an answer of one's own.
    say("Hi again");
    await api.until(() => chat.messages.filter(({ isFromBot }) => isFromBot).length === 2, "it is answered");
    gate.open();
    await untilLast((said) => said === "Once more.", "it is whole");

    expect(engine.requests).toHaveLength(3);
  });
});

describe("commands", () => {
  test.each(["/start", "/help", "/help@fullstop_bot"])("%s says what the bot does", async (command) => {
    const { chat, say, untilLast } = await openStage({ engine: answering("never") });

    say(command);
    await untilLast(() => true, "it is answered");

    expect(chat.lastFromBot?.text).toContain("/stop stops the answer");
  });

  test("/new forgets what was said", async () => {
    const engine = answering("Hello.");
    const store = createMemoryStore();
    const { say, untilLast } = await openStage({ engine, store });

    say("My name is Ann");
    await untilLast((said) => said === "Hello.", "it is answered");
    await endsOf(store, 1);
    say("/new");
    await untilLast((said) => said === NEW, "it is forgotten");
    say("What is my name?");
    await untilLast((said) => said === "Hello.", "it is answered");

    expect(askedOf(engine, 1)).toEqual(["user: What is my name?"]);
  });

  test("/new during an answer stops it, and forgets it, too", async () => {
    const gate = createGate();
    const store = createMemoryStore();
    const engine = createScriptedEngine([
      [start(), text("Once"), gate.pass, finish()],
      [start(), text("Who knows."), finish()],
    ]);
    const { api, chat, say, untilLast } = await openStage({ engine, store });

    say("My name is Ann");
    await untilLast((said) => said === "Once", "the answer has begun");
    say("/new");
    // Not waiting for anything: what is asked after it belongs to the new conversation.
    say("What is my name?");
    await untilLast((said) => said === "Who knows.", "it is answered");
    await api.until(() => chat.messages.some((message) => message.text === NEW), "it says so");
    await endsOf(store, 2);
    say("And now?");
    await expect.poll(() => engine.requests.length).toBe(3);

    expect(chat.messages[1]?.text).toBe("Once\n\n[interrupted]");
    expect(askedOf(engine, 1)).toEqual(["user: What is my name?"]);
    expect(askedOf(engine, 2)).toEqual(["user: What is my name?", "assistant: Who knows.", "user: And now?"]);
  });

  test("/new comes before a question that is written right after it, also while one waits for more", async () => {
    const clock = createJumpingClock();
    const engine = answering("Hello.");
    const options = { engine, clock, mergeMilliseconds: 3_600_000, leaseMilliseconds: 36_000_000 };
    const { api, say, untilLast } = await openStage(options);

    say("My name is Ann");
    await expect.poll(() => api.pendingUpdates).toBe(0);
    say("/new");
    say("What is my name?");
    await untilLast((said) => said === NEW, "it is forgotten");
    clock.jump(3_600_000);
    await untilLast((said) => said === "Hello.", "it is answered");

    expect(askedOf(engine, 0)).toEqual(["user: What is my name?"]);
  });
});

describe("the bot speaks", () => {
  test.each([
    ["de", "Gerade entsteht keine Antwort."],
    ["de-AT", "Gerade entsteht keine Antwort."],
    ["tlh", "No active generation to stop."],
    [undefined, "No active generation to stop."],
  ])("the language of whoever writes: %s", async (languageCode, expected) => {
    const { api } = await openStage({ engine: answering("never") });
    const eve = api.person({ firstName: "Eve", ...(languageCode !== undefined && { languageCode }) });
    const chat = api.privateChat(eve);

    api.say(chat, eve, "/stop");
    await api.until(() => chat.lastFromBot !== undefined, "it is answered");

    expect(chat.lastFromBot?.text).toBe(expected);
  });

  test("German under an answer and in its buttons and toasts", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), text("Es war"), gate.pass, finish()]]);
    const { api } = await openStage({ engine });
    const eve = api.person({ firstName: "Eve", languageCode: "de" });
    const chat = api.privateChat(eve);

    api.say(chat, eve, "Ein Märchen");
    await api.until(() => chat.lastFromBot?.text === "Es war", "the answer has begun");
    const press = api.press(chat, eve, "⏹ Stopp");
    await api.until(() => chat.lastFromBot?.text === "Es war\n\n[unterbrochen]", "it is marked");

    expect((await press.answered).text).toBe("Wird angehalten…");
    expect(chat.lastFromBot?.buttons).toEqual([["▶ Weiter", "🔄 Neu schreiben"]]);
  });

  test("words of one's own, and its own where there are none", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), text("C'era"), gate.pass, finish()]]);
    const words = { it: { stopped: "Fermato.", endings: { interrupted: "[interrotto]" } }, en: { nothingToStop: "?" } };
    const { api, say, untilLast } = await openStage({ engine, words });
    const eve = api.person({ firstName: "Eve", languageCode: "it" });
    const chat = api.privateChat(eve);
    const saidToEve = (said: string) => api.until(() => chat.messages.some((message) => message.text === said), said);

    api.say(chat, eve, "Una storia");
    await saidToEve("C'era");
    expect(chat.lastFromBot?.buttons).toEqual([["⏹ Stop"]]);
    api.say(chat, eve, "/stop");
    await saidToEve("Fermato.");
    await saidToEve("C'era\n\n[interrotto]");
    api.say(chat, eve, "/stop");
    await saidToEve("?");
    say("/stop");

    await untilLast((said) => said === "?", "it is said to others, too");
  });

  test("of text where something else is sent, once for an album, and not of what merely happens in a chat", async () => {
    const people = { messagesPerMinute: 1 };
    const { api, bot, chat, ann, say } = await openStage({ engine: answering("Hello."), people });
    const message = {
      message_id: 50,
      date: 0,
      chat: { id: chat.id, type: "private", first_name: "Ann" },
      from: ann,
    } as const;
    const photo = [{ file_id: "1", file_unique_id: "1", width: 1, height: 1 }];

    await bot.grammy.handleUpdate({ update_id: 1_000_001, message: { ...message, new_chat_title: "Us" } });
    await bot.grammy.handleUpdate({ update_id: 1_000_002, message: { ...message, message_id: 51, photo } });
    await bot.grammy.handleUpdate({ update_id: 1_000_003, message: { ...message, message_id: 52, photo } });
    await api.until(() => chat.lastFromBot, "it is answered");
    say("Hi");
    await api.until(() => chat.lastFromBot?.text === "Hello.", "text is answered");
    say("Hi again");
    await api.until(() => chat.lastFromBot?.text === TOO_MANY, "that is something else, and said, too");

    const said = chat.messages.filter(({ isFromBot }) => isFromBot).map(({ text: words }) => words);
    expect(said).toEqual(["I can only read text.", "Hello.", TOO_MANY]);
  });

  test("in the menu of commands, by language", async () => {
    const { api } = await openStage({ engine: answering("never") });

    const menus = api.commands.map(({ commands, languageCode }) => ({
      languageCode,
      commands: commands.map(({ command, description }) => `${command}: ${description}`),
    }));
    const english = ["stop: Stop the answer", "new: Begin a new conversation", "help: What I can do"];

    expect(menus).toContainEqual({ languageCode: undefined, commands: english });
    expect(menus).toContainEqual({
      languageCode: "de",
      commands: ["stop: Die Antwort anhalten", "new: Ein neues Gespräch beginnen", "help: Was ich kann"],
    });
  });
});
