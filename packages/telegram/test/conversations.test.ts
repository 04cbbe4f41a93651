import type { GenerationRequest } from "fullstop";
import { createMemoryStore } from "fullstop/control";
import type { Store } from "fullstop/control";
import { createGate, createScriptedEngine, finish, start, text } from "fullstop/testing";
import type { ScriptStep, ScriptedEngine } from "fullstop/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRedisStore, openSqliteStore } from "../../gateway/src/stores/index.ts";
import { startRedis } from "../../gateway/test/support/redis-server.ts";
import { appendAnswer, EMPTY_CONVERSATION, forgetBefore, messagesOf } from "../src/answers/conversation.ts";
import type { AppendedAnswer, Conversation } from "../src/answers/conversation.ts";
import { Conversations } from "../src/answers/conversations.ts";
import type { Place } from "../src/place.ts";
import { startBotApi } from "./support/bot-api/index.ts";
import type { BotApi } from "./support/bot-api/index.ts";
import { changeStore } from "./support/changed-store.ts";
import { startBot } from "./support/open-bot.ts";
import { openStage } from "./support/stage.ts";
import { temporaryFile } from "./support/temporary-file.ts";

const PLACE: Place = { chat: 5, chatType: "private", user: 5, topic: undefined };
const SETTINGS = { maxMessages: 100, maxCharacters: 24_000, keepMilliseconds: 60_000 };
const BOT = 7_700_000_001;

const said = (request: GenerationRequest | undefined): readonly string[] =>
  (request?.messages ?? []).map(({ role, content }) => {
    const words = content.map((part) => (part.type === "text" ? part.text : part.type)).join("");
    return `${role}: ${words}`;
  });

/** Answers "one", "two" and so on. */
function counting(): ScriptedEngine {
  const words = ["one", "two", "three", "four", "five"];
  return createScriptedEngine(words.map((word): readonly ScriptStep[] => [start(), text(word), finish()]));
}

const message = (role: "user" | "assistant", words: string) =>
  ({ role, content: [{ type: "text", text: words }] }) as const;

const exchange = (id: string, question: string, answer: string, questionId = 1): AppendedAnswer => ({
  id,
  questionId,
  replaces: undefined,
  asked: [message("user", question)],
  said: [message("assistant", answer)],
});

const wordsOf = (conversation: Conversation): string =>
  messagesOf(conversation)
    .map(({ content }) => content.map((part) => (part.type === "text" ? part.text : part.type)).join(""))
    .join(" ");

const STORES: readonly { readonly name: string; readonly create: () => Promise<() => Promise<Store>> }[] = [
  {
    name: "a file",
    async create() {
      const file = temporaryFile("bot.db");
      return () => openSqliteStore({ file });
    },
  },
  {
    name: "Redis",
    async create() {
      const redis = await startRedis();
      onTestFinished(() => redis.stop());
      return () => openRedisStore({ url: redis.url });
    },
  },
];

/** Runs a bot for one question, and closes everything. */
async function askOnce(api: BotApi, open: () => Promise<Store>, engine: ScriptedEngine, words: string): Promise<void> {
  const store = await open();
  const opened = await startBot(api, { engine, store });
  const ann =
    [...api.updates].length === 0
      ? api.person({ id: 5, firstName: "Ann" })
      : { id: 5, is_bot: false, first_name: "Ann" };
  const chat = api.privateChat(ann);
  const before = chat.messages.length;
  api.say(chat, ann, words);
  await api.until(
    () => chat.messages.length === before + 2 && chat.lastFromBot?.buttons.length === 0,
    "it is answered",
  );
  await opened[Symbol.asyncDispose]();
  await store.close();
}

describe("a conversation", () => {
  test.each(STORES)("outlasts the process, in $name", async ({ create }) => {
    const open = await create();
    const api = await startBotApi();
    onTestFinished(() => api.close());
    const engine = counting();

    await askOnce(api, open, engine, "First");
    await askOnce(api, open, engine, "Second");

    expect(said(engine.requests[1])).toEqual(["user: First", "assistant: one", "user: Second"]);
  });

  test("begins anew with /new, also in the middle of an answer", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([
      [start(), text("one"), gate.pass, finish()],
      [start(), text("two"), finish()],
    ]);
    const { api, chat, say, untilLast } = await openStage({ engine });

    say("First");
    await untilLast((words) => words === "one", "it is being answered");
    say("/new");
    await untilLast((words) => words.startsWith("A new conversation."), "it is forgotten");
    say("Second");
    await untilLast((words) => words === "two", "the next one is answered");
    gate.open();

    expect(chat.messages[1]?.text).toBe("one\n\n[interrupted]");
    expect(said(engine.requests[1])).toEqual(["user: Second"]);
    expect(api.callsOf("sendMessage")).toHaveLength(3);
  });

  test("keeps the last messages, and begins with a question", async () => {
    const engine = counting();
    const { chat, api, say } = await openStage({ engine, conversations: { maxMessages: 3 } });

    for (const [index, words] of ["First", "Second", "Third"].entries()) {
      say(words);
      const wanted = ["one", "two", "three"][index];
      await api.until(
        () => chat.lastFromBot?.text === wanted && chat.lastFromBot?.buttons.length === 0,
        "it is answered",
      );
    }

    expect(said(engine.requests[2])).toEqual(["user: Second", "assistant: two", "user: Third"]);
  });

  test.each([
    { name: "few messages", settings: { maxMessages: 1 }, answer: "short" },
    { name: "few characters", settings: { maxCharacters: 1 }, answer: "short" },
    { name: "an answer longer than all that is kept", settings: {}, answer: "long ".repeat(10_000) },
  ])("keeps the last question and answer whatever is kept: $name", async ({ settings, answer }) => {
    const conversations = new Conversations(createMemoryStore(), BOT, { ...SETTINGS, ...settings }, () => undefined);

    await conversations.append(PLACE, exchange("a", "First", "one"));
    await conversations.append(PLACE, exchange("b", "Second", answer));

    const { exchanges } = await conversations.read(PLACE);
    const kept = { asked: [message("user", "Second")], said: [message("assistant", answer)] };
    expect(exchanges).toEqual([{ id: "b", questionId: 1, ...kept }]);
  });

  test("is forgotten after a while in which nothing was said", async () => {
    let now = 1_000;
    const store = createMemoryStore({ clock: { now: () => now, after: () => () => undefined } });
    const conversations = new Conversations(store, BOT, SETTINGS, () => undefined);

    await conversations.append(PLACE, exchange("a", "First", "one"));
    now += 59_999;
    await conversations.append(PLACE, exchange("b", "Second", "two"));
    now += 59_999;
    expect(messagesOf(await conversations.read(PLACE))).toHaveLength(4);
    now += 1;

    expect(await conversations.read(PLACE)).toEqual(EMPTY_CONVERSATION);
  });

  test.each([SETTINGS, { ...SETTINGS, maxMessages: 20 }])(
    "loses nothing that several processes add at once, of %j",
    async (settings) => {
      const redis = await startRedis();
      onTestFinished(() => redis.stop());
      const stores = await Promise.all([0, 1].map(() => openRedisStore({ url: redis.url })));
      onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
      const all = stores.map((store) => new Conversations(store, BOT, settings, () => undefined));

      await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const answer = exchange(`${index}`, `question ${index}`, `answer ${index}`);
          return all[index % 2]!.append(PLACE, answer);
        }),
      );

      const messages = messagesOf(await all[0]!.read(PLACE));
      expect(messages).toHaveLength(Math.min(40, settings.maxMessages));
      expect(messages[0]?.role).toBe("user");
    },
  );

  test.each([
    "",
    "{",
    "null",
    "42",
    "whales, all of them",
    '{"messages":[42]}',
    '{"messages":[{"role":"king","content":[]}]}',
  ])("that cannot be read begins anew: %s", async (value) => {
    const store = createMemoryStore();
    const engine = counting();
    const { api, chat, ann, logged, say, untilLast } = await openStage({ engine, store });
    const options = { keepMilliseconds: 60_000, expected: "any" } as const;
    await store.writeDocument(`telegram-conversations-${api.botInfo.id}`, `${chat.id}_${ann.id}`, value, options);

    say("First");
    await untilLast((words) => words === "one", "it is answered");
    await api.until(() => chat.lastFromBot?.buttons.length === 0, "it is whole");
    say("Second");
    await untilLast((words) => words === "two", "the next one is answered");

    expect(said(engine.requests[1])).toEqual(["user: First", "assistant: one", "user: Second"]);
    expect(logged.map((line) => line.message)).toContain("a conversation cannot be read, and begins anew");
    expect(JSON.stringify(logged)).not.toContain("whales");
  });

  test("is read as it was written before exchanges were told apart", async () => {
    const store = createMemoryStore();
    const conversations = new Conversations(store, BOT, SETTINGS, () => undefined);
    const note = message("user", "It was interrupted.");
    const messages = [
      message("user", "First"),
      message("assistant", "one"),
      message("user", "Go on."),
      message("assistant", "more"),
      note,
    ];
    const older = JSON.stringify({ messages, lastAnswer: { id: "b", from: 3, isContinuation: true }, earlier: ["a"] });
    await store.writeDocument(`telegram-conversations-${BOT}`, "5_5", older, {
      keepMilliseconds: 60_000,
      expected: "any",
    });

    const found = await conversations.read(PLACE);
    expect(messagesOf(found)).toEqual(messages);
    expect(found.exchanges.at(-1)).toMatchObject({ id: "b", isContinuation: true, said: messages.slice(3) });
    await conversations.append(PLACE, exchange("a", "First", "one"));
    await conversations.append(PLACE, { ...exchange("c", "Go on.", "and more"), isContinuation: true });

    expect(wordsOf(await conversations.read(PLACE))).toBe("First one Go on. more Go on. and more");
  });

  test("that was forgotten keeps what was asked since, whatever came first", () => {
    const before = exchange("a", "First", "one", 1);
    const since = exchange("b", "Second", "two", 3);
    const both = [before, since].reduce(appendAnswer, EMPTY_CONVERSATION);

    const forgotten = forgetBefore(both, 2);

    expect(wordsOf(forgotten)).toBe("Second two");
    expect(appendAnswer(forgotten, { ...before, id: "c" })).toBe(forgotten);
    // An older order to forget comes later.
    expect(forgetBefore(forgetBefore(EMPTY_CONVERSATION, 2), 1)).toEqual(forgetBefore(EMPTY_CONVERSATION, 2));
  });

  test("stays small, whatever is said in it", async () => {
    const store = createMemoryStore();
    const conversations = new Conversations(store, BOT, { ...SETTINGS, maxMessages: 10 }, () => undefined);
    const nothing = { replaces: undefined, asked: [], said: [] };
    for (let index = 0; index < 100; index += 1) {
      await conversations.append(PLACE, { ...nothing, id: `${index}`, questionId: index });
    }

    const { exchanges, earlier } = await conversations.read(PLACE);
    expect([exchanges.length, earlier.length]).toEqual([10, 50]);
    expect(exchanges.at(-1)?.id).toBe("99");
  });

  test("that moves to another chat is older than all that is said there", async () => {
    const conversations = new Conversations(createMemoryStore(), BOT, SETTINGS, () => undefined);
    const group: Place = { chat: -5, chatType: "group", user: 5, topic: undefined };
    const supergroup: Place = { ...group, chat: -1_005, chatType: "supergroup" };
    await conversations.append(group, exchange("a", "First", "one", 900));
    await conversations.append(supergroup, exchange("b", "Second", "two", 1));

    await conversations.move(group.chat, supergroup.chat);
    await conversations.append(supergroup, exchange("c", "Third", "three", 2));

    expect(wordsOf(await conversations.read(supergroup))).toBe("First one Second two Third three");
    expect(await conversations.read(group)).toEqual(EMPTY_CONVERSATION);
  });

  test("has an answer once, also if two processes put it there", () => {
    const one = appendAnswer(EMPTY_CONVERSATION, exchange("a", "First", "one"));

    expect(appendAnswer(one, exchange("a", "First", "one"))).toBe(one);
  });

  test("has an answer once, also if others have come after it or in its place", async () => {
    const conversations = new Conversations(createMemoryStore(), BOT, SETTINGS, () => undefined);
    await conversations.append(PLACE, exchange("a", "First", "one"));
    await conversations.append(PLACE, { ...exchange("b", "", "another"), replaces: "a", asked: [] });
    await conversations.append(PLACE, exchange("c", "Second", "two"));
    const before = await conversations.read(PLACE);

    for (const id of ["a", "b", "c"]) await conversations.append(PLACE, exchange(id, "Again", "and again"));

    expect(await conversations.read(PLACE)).toEqual(before);
    expect(messagesOf(before)).toHaveLength(4);
  });

  test("has an answer as its process knows it, also if another one has taken that for dead", () => {
    const whole = exchange("a", "First", "one and all", 1);
    const recovered = { ...exchange("a", "First", "one", 1), isRecovered: true };
    const next = exchange("b", "Second", "two", 3);
    const found = [recovered, next].reduce(appendAnswer, EMPTY_CONVERSATION);

    expect(appendAnswer(found, { ...recovered, said: [] })).toBe(found);
    const known = appendAnswer(found, whole);

    expect(wordsOf(known)).toBe("First one and all Second two");
    expect(appendAnswer(known, recovered)).toBe(known);
    expect(appendAnswer(known, { ...whole, said: [] })).toBe(known);
  });

  test("has what was recovered of an answer once that was gone on with", () => {
    const recovered = { ...exchange("a", "First", "one", 1), isRecovered: true };
    const rest = { ...exchange("b", "Go on.", "and all", 2), isContinuation: true };
    const goneOnWith = [recovered, rest].reduce(appendAnswer, EMPTY_CONVERSATION);

    expect(appendAnswer(goneOnWith, exchange("a", "First", "one and all", 1))).toBe(goneOnWith);
  });

  test("knows a rest again whose process has come back", () => {
    const note = { role: "user", content: [{ type: "text", text: "(interrupted)" }] } as const;
    const first = exchange("a", "First", "one", 1);
    const cut = { ...first, said: [...first.said, note] };
    const rest = exchange("b", "Go on.", "more", 2);
    const recovered = [cut, { ...rest, isRecovered: true }].reduce(appendAnswer, EMPTY_CONVERSATION);

    const known = appendAnswer(recovered, { ...rest, isContinuation: true });

    expect(wordsOf(recovered)).toContain("(interrupted)");
    expect(wordsOf(known)).toBe("First one Go on. more");
    expect(known.exchanges.at(-1)?.isContinuation).toBe(true);
  });

  test("has an answer in place of the one that it was written again for", () => {
    const one = appendAnswer(EMPTY_CONVERSATION, exchange("a", "First", "one"));
    const other = { ...exchange("b", "", "another", 2), replaces: "a", asked: [] };

    expect(wordsOf(appendAnswer(one, other))).toBe("First another");
    // Somebody has gone on meanwhile: nothing of that is taken away.
    const two = appendAnswer(one, exchange("c", "Second", "two", 3));
    expect(wordsOf(appendAnswer(two, other))).toBe("First another Second two");
  });
});

describe("what could not be put into a conversation", () => {
  const open = () => {
    const store = createMemoryStore();
    const link = { isAway: false, isRefusing: "" };
    const flaky = changeStore(store, {
      async writeDocument(folder, name, value, options) {
        if (link.isAway || name === link.isRefusing) throw new Error("away");
        return store.writeDocument(folder, name, value, options);
      },
    });
    const create = (): Conversations => new Conversations(flaky, BOT, SETTINGS, () => undefined);
    return { link, create };
  };

  test("is read all the same, and written when the store is back, in its order", async () => {
    const { link, create } = open();
    const conversations = create();
    await conversations.append(PLACE, exchange("a", "First", "one"));
    link.isAway = true;
    await expect(conversations.append(PLACE, exchange("b", "Second", "two"))).rejects.toThrow("away");
    await expect(conversations.append(PLACE, exchange("c", "Third", "three"))).rejects.toThrow("away");

    const known = await conversations.read(PLACE);
    expect(wordsOf(known)).toBe("First one Second two Third three");
    expect(wordsOf(conversations.readWithoutStore(PLACE))).toBe("Second two Third three");
    expect(wordsOf(await create().read(PLACE))).toBe("First one");

    link.isAway = false;
    await conversations.writeAllLate();
    expect(await create().read(PLACE)).toEqual(known);
    expect(conversations.readWithoutStore(PLACE)).toEqual(EMPTY_CONVERSATION);
  });

  test("is forgotten with the conversation", async () => {
    const { link, create } = open();
    const conversations = create();
    link.isAway = true;
    await expect(conversations.append(PLACE, exchange("a", "First", "one"))).rejects.toThrow("away");

    link.isAway = false;
    await conversations.forget(PLACE, 2);
    await conversations.writeAllLate();

    expect(wordsOf(await conversations.read(PLACE))).toBe("");
  });

  test("is forgotten with the conversation, also by another process that does not know of it", async () => {
    const { link, create } = open();
    const [conversations, others] = [create(), create()];
    link.isAway = true;
    await expect(conversations.append(PLACE, exchange("a", "First", "one", 1))).rejects.toThrow("away");
    await expect(conversations.append(PLACE, exchange("c", "Third", "three", 5))).rejects.toThrow("away");
    link.isAway = false;
    await others.forget(PLACE, 3);

    expect(wordsOf(await conversations.read(PLACE))).toBe("Third three");
    await conversations.writeAllLate();

    expect(wordsOf(await others.read(PLACE))).toBe("Third three");
  });

  test("is put where it was asked, before what others have answered since", async () => {
    const { link, create } = open();
    const [conversations, others] = [create(), create()];
    await others.append(PLACE, exchange("a", "First", "one", 1));
    link.isAway = true;
    await expect(conversations.append(PLACE, exchange("b", "Second", "two", 3))).rejects.toThrow("away");
    link.isAway = false;
    await others.append(PLACE, exchange("c", "Third", "three", 5));
    await conversations.writeAllLate();

    const found = await others.read(PLACE);
    expect(wordsOf(found)).toBe("First one Second two Third three");
    expect(found.exchanges.at(-1)?.id).toBe("c");
  });

  test("holds up nothing of other places for long", async () => {
    const { link, create } = open();
    const conversations = create();
    const other: Place = { ...PLACE, topic: 6 };
    link.isAway = true;
    await expect(conversations.append(PLACE, exchange("a", "First", "one"))).rejects.toThrow("away");
    await expect(conversations.append(other, exchange("b", "Second", "two"))).rejects.toThrow("away");

    Object.assign(link, { isAway: false, isRefusing: "5_5" });
    await expect(conversations.writeAllLate()).rejects.toThrow("away");
    await expect(conversations.writeAllLate()).rejects.toThrow("away");

    expect(wordsOf(await create().read(other))).toBe("Second two");
  });
});

test("an answer on the list that cannot be read is forgotten, and the bot goes on", async () => {
  const store = createMemoryStore();
  const api = await startBotApi();
  onTestFinished(() => api.close());
  const folder = `telegram-unfinished-${api.botInfo.id}`;
  await store.writeDocument(folder, "5_5.abc", "{", { keepMilliseconds: 60_000, expected: "any" });
  const opened = await startBot(api, { engine: counting(), store });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const ann = api.person({ id: 5, firstName: "Ann" });
  const chat = api.privateChat(ann);

  api.say(chat, ann, "First");
  await api.until(() => chat.lastFromBot?.text === "one", "it is answered");

  await expect.poll(() => store.documentNames(folder)).toEqual([]);
});
