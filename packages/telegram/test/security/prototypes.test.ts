import { createTerminationSignal } from "fullstop";
import { createMemoryStore } from "fullstop/control";
import type { Store } from "fullstop/control";
import { createGate, createScriptedEngine, finish, start, text } from "fullstop/testing";
import type { ScriptedEngine } from "fullstop/testing";
import type { Update } from "grammy/types";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { openSqliteStore } from "../../../gateway/src/stores/index.ts";
import { startBotApi } from "../support/bot-api/index.ts";
import { openBot } from "../support/open-bot.ts";
import { askedOf, eventsOf } from "../support/records.ts";
import { openStage } from "../support/stage.ts";
import { temporaryFile } from "../support/temporary-file.ts";
import { SECRET_HEADER, openWebhook, secretToken } from "../support/webhook-stage.ts";

const BOT = 7_700_000_001;
const STRANGER = 5_000_009_999;

/**
 * What would show if it came into the prototype of anything, or of a copy: who writes, where, and what for would be
 * another.
 */
const POISON = JSON.stringify({
  polluted: true,
  text: "/new",
  caption: "/new",
  is_topic_message: true,
  message_thread_id: 77,
  sender_chat: { id: STRANGER, type: "channel" },
  language_code: "de",
  topic: 77,
  lastAnswer: { id: "x", from: 0 },
  languageCode: "de",
  replaces: "x",
  isPartial: true,
});

/** The names that mean something to every object, which JSON can give to any. */
const FIELDS = [
  `"__proto__":${POISON}`,
  `"constructor":{"prototype":${POISON}}`,
  `"prototype":${POISON}`,
  '"toString":"x"',
  '"valueOf":null',
  '"hasOwnProperty":1',
  '"toJSON":"x"',
  '"then":"x"',
  '"length":9',
].join(",");

/** A value with the poison in each of its objects, as JSON. */
function poison(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("{}", `{${FIELDS}}`)
    .replaceAll(/\{(?=")(?!"__proto__)/gu, `{${FIELDS},`);
}

/** The same as it is read from the network or a store. */
const poisoned = <T>(value: T): T => JSON.parse(poison(value)) as T;

const own = Object.getOwnPropertyNames(Object.prototype).toSorted().join();
const faults: unknown[] = [];
for (const event of ["unhandledRejection", "uncaughtException"] as const)
  process.on(event, (fault) => faults.push(fault));

afterEach(async () => {
  // What nobody handles is told in a turn of its own.
  await new Promise((resolve) => setImmediate(resolve));
  const isAsBefore = Object.getOwnPropertyNames(Object.prototype).toSorted().join() === own;
  const isClean = [{}, [], () => undefined, ""].every((value) => !("polluted" in Object(value)));
  if (!isAsBefore || !isClean) throw new Error("a prototype has been changed");
  const [fault] = faults.splice(0);
  if (fault !== undefined) throw new Error("the process would have ended", { cause: fault });
});

const greet = (): ScriptedEngine => createScriptedEngine(() => [start(), text("Hello!"), finish()]);

const messageOf = (id: number, words: unknown) => ({
  message_id: 900_000 + id,
  date: 1_700_000_000,
  chat: { id, type: "private", first_name: "Ann" },
  from: { id, is_bot: false, first_name: "Ann", language_code: "en" },
  text: words,
});

/** Values where Telegram has a text or a number. */
const ODD = [
  '{"toString":1,"valueOf":1}',
  '{"__proto__":null}',
  '["__proto__"]',
  '"__proto__"',
  "null",
  "true",
  "1e999",
];

describe("an update", () => {
  test("with names of prototypes in all of its objects means what it means without them", async () => {
    const engine = greet();
    const store = createMemoryStore();
    const { api, ann, chat, untilLast } = await openStage({ engine, store });

    api.deliverAgain(poisoned({ update_id: 77_001, message: messageOf(ann.id, "Hi") }) as Update);
    await untilLast((said) => said === "Hello!", "it is answered");

    expect(askedOf(engine, 0)).toEqual(["user: Hi"]);
    expect(api.callsOf("sendMessage").map(({ parameters }) => parameters["chat_id"])).toEqual([ann.id]);
    expect(api.callsOf("sendMessage")[0]?.parameters).not.toHaveProperty("message_thread_id");
    await eventsOf(store);
    expect(await store.documentNames(`telegram-conversations-${BOT}`)).toEqual([`${ann.id}_${ann.id}`]);
    expect(
      JSON.stringify(await store.readDocument(`telegram-conversations-${BOT}`, `${ann.id}_${ann.id}`)),
    ).not.toMatch(/polluted|prototype/u);
    expect(chat.lastFromBot?.text).toBe("Hello!");
  });

  test("of a press with them does what the button does", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), text("Once"), gate.pass, finish()]]);
    const { api, ann, chat, say, untilLast } = await openStage({ engine });
    say("Tell me a story");
    await untilLast((said) => said === "Once", "the beginning is seen");
    const message = chat.lastFromBot!;
    const [data] = /stop:[\w-]{22}/u.exec(JSON.stringify(api.calls.map(({ parameters }) => parameters))) ?? [];

    const press = {
      id: "1",
      from: { id: ann.id, is_bot: false, first_name: "Ann" },
      chat_instance: "1",
      data,
      message: { message_id: message.id, date: 1, chat: { id: ann.id, type: "private", first_name: "Ann" } },
    };
    api.deliverAgain(poisoned({ update_id: 77_002, callback_query: press }) as Update);

    await api.until(() => chat.lastFromBot?.text === "Once\n\n[interrupted]", "it is stopped");
    gate.open();
    expect(chat.messages).toHaveLength(2);
  });

  const PLACES = ["text", "from", "chat", "entities", "reply_to_message"];

  test.each(ODD.flatMap((odd) => PLACES.map((at) => [at, odd] as const)))(
    "whose %s is %s harms nobody",
    async (at, odd) => {
      const engine = greet();
      const { api, ann, say } = await openStage({ engine });
      const message = JSON.stringify(messageOf(ann.id, "Hi")).replace(/\}$/u, `,"${at}":${odd}}`);

      api.deliverAgain(JSON.parse(`{"update_id":5,"message":${message}}`) as Update);
      await expect.poll(() => api.pendingUpdates).toBe(0);
      say("Still there?");

      // The one before may be answered, too, where what is odd does not matter.
      await expect.poll(() => JSON.stringify(engine.requests)).toContain("Still there?");
    },
  );
});

describe("the data of a button", () => {
  const WORDS = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "prototype"];

  test.each(WORDS)("that is %s stands for nothing, also with the id of an answer", async (word) => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), text("Once"), gate.pass, text(" upon a time"), finish()]]);
    const { api, ann, chat, say, untilLast } = await openStage({ engine });
    say("Tell me a story");
    await untilLast((said) => said === "Once", "the beginning is seen");
    const [, id] = /stop:([\w-]{22})/u.exec(JSON.stringify(api.calls.map(({ parameters }) => parameters))) ?? [];

    const padded = word.padEnd(22, "_");
    for (const data of [
      word,
      `${word}:${id}`,
      `stop:${padded}`,
      `stop:${word}`,
      `stop:${id}:${word}`,
      `stop.${word}:${id}`,
    ]) {
      expect(await api.pressData(chat, ann, data).answered).toMatchObject({ text: "Already finished", isAlert: false });
    }
    gate.open();
    await untilLast((said) => said === "Once upon a time", "it was not stopped");
  });
});

describe("a language", () => {
  test.each(["__proto__", "constructor", "toString", "__proto__-x", "hasOwnProperty"])(
    "by the name of %s is answered in English",
    async (languageCode) => {
      const { api } = await openStage({ engine: greet() });
      const bea = api.person({ firstName: "Bea", languageCode });
      const chat = api.privateChat(bea);
      api.say(chat, bea, "/stop");
      await api.until(() => chat.lastFromBot !== undefined, "it is answered");
      expect(chat.lastFromBot?.text).toBe("No active generation to stop.");
    },
  );
});

describe("the body of a webhook", () => {
  /** A bot behind a webhook, and a way to send it anything in Telegram's name. */
  async function openPosting() {
    const engine = greet();
    const stage = await openWebhook(engine);
    const headers = { "content-type": "application/json", [SECRET_HEADER]: secretToken };
    const send = (body: string): Promise<Response> => fetch(stage.url, { method: "POST", headers, body });
    return { ...stage, engine, post: async (body: string): Promise<number> => (await send(body)).status };
  }

  test.each([
    `{${FIELDS}}`,
    `{"update_id":1,${FIELDS}}`,
    `{"__proto__":{"update_id":1,"message":${JSON.stringify(messageOf(STRANGER, "Hi"))}}}`,
    `{"update_id":1,"__proto__":{"message":${JSON.stringify(messageOf(STRANGER, "Hi"))}}}`,
    `{"update_id":1,"constructor":{"prototype":{"polluted":true}},"message":{"__proto__":${JSON.stringify(messageOf(STRANGER, "Hi"))}}}`,
    `[{${FIELDS}}]`,
    `{"update_id":1,"callback_query":{"__proto__":{"data":"stop:${"A".repeat(22)}"}}}`,
    `{"update_id":1,"stopped_message_generation":{"__proto__":{"chat":{"id":1},"draft_id":1}}}`,
  ])("asks for nothing by a prototype, and the bot goes on: body %#", async (body) => {
    const { api, engine, ann, chat, post } = await openPosting();

    const status = await post(body);
    api.say(chat, ann, "Hi");
    await api.until(() => chat.lastFromBot?.text === "Hello!", "the bot answers");

    expect([200, 400]).toContain(status);
    expect(engine.requests).toHaveLength(1);
    expect(api.callsOf("sendMessage").map(({ parameters }) => parameters["chat_id"])).toEqual([ann.id]);
  });

  test.each(ODD)("may have %s for its number, and the bot goes on", async (odd) => {
    const { api, ann, chat, post } = await openPosting();

    const status = await post(`{"update_id":${odd},"message":${JSON.stringify(messageOf(ann.id, "/help"))}}`);
    api.say(chat, ann, "Hi");
    await api.until(() => chat.lastFromBot?.text === "Hello!", "the bot answers");

    expect([200, 400]).toContain(status);
  });
});

const STORES: readonly { readonly name: string; readonly open: () => Store | Promise<Store> }[] = [
  { name: "memory", open: () => createMemoryStore() },
  { name: "a file", open: () => openSqliteStore({ file: temporaryFile("bot.db") }) },
];

describe.each(STORES)("what the bot has kept in $name", ({ open }) => {
  const ANN = 5_000_000_001;
  const place = { chat: ANN, chatType: "private", user: ANN };
  const said = [
    { role: "user", content: [{ type: "text", text: "First" }] },
    { role: "assistant", content: [{ type: "text", text: "one" }] },
  ];

  /** A bot that starts with a document in its store. */
  async function openWith(folder: string, name: string, value: string) {
    const store = await open();
    await store.writeDocument(`${folder}-${BOT}`, name, value, { keepMilliseconds: 60_000, expected: "any" });
    const engine = greet();
    const stage = await openStage({ engine, store });
    expect(stage.ann.id).toBe(ANN);
    return { ...stage, engine, store };
  }

  test("of a conversation with names of prototypes is what it is without them", async () => {
    const value = poison({ messages: said });
    const { engine, say, untilLast } = await openWith("telegram-conversations", `${ANN}_${ANN}`, value);

    say("Second");
    await untilLast((words) => words === "Hello!", "it is answered");

    expect(askedOf(engine, 0)).toEqual(["user: First", "assistant: one", "user: Second"]);
    // No answer is the last one because a prototype says so, and none is half.
    expect(engine.requests[0]?.messages.map((message) => "isPartial" in message)).toEqual([false, false, false]);
  });

  test.each([
    '{"__proto__":{"messages":[]}}',
    '{"messages":{"__proto__":[]}}',
    `[{${FIELDS}}]`,
    `{${FIELDS}}`,
    '"__proto__"',
  ])("as a conversation, and is none, begins anew: %s", async (value) => {
    const { engine, say, untilLast } = await openWith("telegram-conversations", `${ANN}_${ANN}`, value);

    say("Second");
    await untilLast((words) => words === "Hello!", "it is answered");

    expect(askedOf(engine, 0)).toEqual(["user: Second"]);
  });

  test("of an answer that was left with names of prototypes is finished where it belongs", async () => {
    const store = await open();
    const signal = createTerminationSignal({ reason: "cancelled", originalField: "x", originalValue: "owner_lost" });
    await store.open({ id: "left", owner: `telegram:${BOT}:${ANN}:${ANN}`, model: "m", startedAt: 1, holder: "gone" });
    await store.append("left", 0, [start(), text("Once upon")]);
    await store.finish("left", signal);
    const left = {
      id: "left",
      place,
      startedAt: 1,
      asked: said.slice(0, 1),
      messageIds: [],
      questionId: 1,
      isKept: false,
    };
    const options = { keepMilliseconds: 60_000, expected: "any" } as const;
    await store.writeDocument(`telegram-unfinished-${BOT}`, `${ANN}_${ANN}.left`, poison(left), options);
    const api = await startBotApi();
    onTestFinished(() => api.close());
    const ann = api.person({ id: ANN, firstName: "Ann" });
    const chat = api.privateChat(ann);
    const engine = greet();
    const { bot } = await openBot(api, { engine, store });
    onTestFinished(() => bot.stop());
    void bot.poll();

    await api.until(() => chat.lastFromBot?.text === "Once upon\n\n[interrupted]", "it is finished, in English");
    api.say(chat, ann, "Second");
    await api.until(() => chat.lastFromBot?.text === "Hello!", "the next one is answered");

    expect(askedOf(engine, 0).slice(0, 2)).toEqual(["user: First", "assistant: Once upon"]);
    for (const { parameters } of api.callsOf("sendMessage")) expect(parameters).not.toHaveProperty("message_thread_id");
  });

  test.each([`{${FIELDS}}`, '{"__proto__":{"id":"left"}}', "[]", "{"])(
    "as an answer that was left, and is none, is forgotten: %s",
    async (value) => {
      const { store, say, untilLast } = await openWith("telegram-unfinished", `${ANN}_${ANN}.left`, value);

      say("Second");
      await untilLast((words) => words === "Hello!", "it is answered");

      await expect.poll(() => store.documentNames(`telegram-unfinished-${BOT}`)).toEqual([]);
    },
  );
});
