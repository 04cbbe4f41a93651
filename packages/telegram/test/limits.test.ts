import type { Clock } from "fullstop";
import { createMemoryStore, systemClock } from "fullstop/control";
import { createScriptedEngine, finish, start, text } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import { SILENT_LOG } from "../src/operations/log.ts";
import { RecentMessages } from "../src/updates/recent-messages.ts";
import { changeStore } from "./support/changed-store.ts";
import { createFedEngine } from "./support/fed-engine.ts";
import { openTwoProcesses } from "./support/processes.ts";

const TOO_MANY = "That is too much at once. Try again in a minute.";

describe("of two processes that are one bot, one person may", () => {
  test("have so many answers at once, of both together", async () => {
    const [a, b] = [createFedEngine(), createFedEngine()];
    const people = { answersAtOnce: 1 };
    const two = await openTwoProcesses({ a: { engine: a, people }, b: { engine: b, people } });
    const { api, chat, ann, sendTo } = two;
    const group = api.group({ title: "Whales", members: [ann] });
    api.say(chat, ann, "Tell me a story");
    const feed = await a.feed(0);

    sendTo("b");
    api.say(group, ann, "@fullstop_bot whales");
    await api.until(() => group.lastFromBot?.text === TOO_MANY, "it is too much");
    feed.say("Once.");
    feed.end();
    await api.until(() => chat.lastFromBot?.buttons.length === 0, "the first is whole");
    await expect.poll(() => two.members.b.store.documentNames(`telegram-unfinished-${api.botInfo.id}`)).toEqual([]);
    api.say(group, ann, "@fullstop_bot whales");

    expect((await b.feed(0)).request.messages).toHaveLength(1);
  });

  test("write so much, to both together", async () => {
    const engine = createScriptedEngine(() => [start(), text("Hello."), finish()]);
    const people = { messagesPerMinute: 2 };
    const { api, chat, ann, sendTo } = await openTwoProcesses({ a: { engine, people }, b: { engine, people } });
    const saidOf = (said: string): number => chat.messages.filter((message) => message.text === said).length;

    api.say(chat, ann, "One");
    await api.until(() => saidOf("Hello.") === 1, "the first is answered");
    sendTo("b");
    api.say(chat, ann, "Two");
    await api.until(() => saidOf("Hello.") === 2, "the second is answered");
    api.say(chat, ann, "Three");
    await api.until(() => saidOf(TOO_MANY) === 1, "the third is too much");

    expect(engine.requests).toHaveLength(2);
  });
});

describe("how much somebody has written", () => {
  const parts = { bot: 1, clock: systemClock, log: SILENT_LOG };

  test("is counted in this process where the store is away", async () => {
    const away = (): Promise<never> => Promise.reject(new Error("away"));
    const store = changeStore(createMemoryStore(), { readDocument: away, writeDocument: away });
    const recent = new RecentMessages({ ...parts, store });

    expect([await recent.add(7, 1), await recent.add(7, 1), await recent.add(8, 1)]).toEqual([true, false, true]);
  });

  test("is counted once for each message, also where several processes count at once", async () => {
    const store = createMemoryStore();
    const processes = Array.from({ length: 5 }, () => new RecentMessages({ ...parts, store }));

    const admitted = await Promise.all(processes.map((recent) => recent.add(7, 3)));

    expect(admitted.filter(Boolean)).toHaveLength(3);
  });

  test("does not count what was not answered", async () => {
    const store = createMemoryStore();
    let now = 0;
    const clock: Clock = { ...systemClock, now: () => now };
    const [here, elsewhere] = [
      new RecentMessages({ ...parts, store, clock }),
      new RecentMessages({ ...parts, store, clock }),
    ];
    expect([await elsewhere.add(7, 2), await elsewhere.add(7, 2)]).toEqual([true, true]);
    now = 30_000;
    expect([await here.add(7, 2), await here.add(7, 2)]).toEqual([false, false]);

    now = 60_000;

    expect([await here.add(7, 2), await here.add(7, 2), await here.add(7, 2)]).toEqual([true, true, false]);
  });

  test("is forgotten where it cannot be read", async () => {
    const store = createMemoryStore();
    const options = { keepMilliseconds: 60_000, expected: "none" } as const;
    await store.writeDocument("telegram-people-1", "7", '{"length":9}', options);

    expect(await new RecentMessages({ ...parts, store }).add(7, 1)).toBe(true);
  });
});
