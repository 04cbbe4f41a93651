import { createMemoryStore } from "fullstop/control";
import type { Store } from "fullstop/control";
import { expect, test } from "vitest";
import { ENGLISH } from "../src/words/english.ts";
import { createFedEngine } from "./support/fed-engine.ts";
import type { Feed } from "./support/fed-engine.ts";
import type { TestBotOptions } from "./support/open-bot.ts";
import { openTwoProcesses } from "./support/processes.ts";
import { openStage } from "./support/stage.ts";

/** A store that can go away, or refuse a folder: what is called when a document is written, and was called in vain. */
function createFlakyStore(inner = createMemoryStore()) {
  const link = {
    isAway: false,
    refused: undefined as string | undefined,
    missed: new Set<keyof Store>(),
    onWritten: (_folder: string): void => undefined,
  };
  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      // There is no short cut past what can be away.
      if (name === "immediate") return undefined;
      const method = target[name] as (...values: unknown[]) => unknown;
      return async (...values: unknown[]) => {
        if (link.isAway || (link.refused !== undefined && String(values[0]).startsWith(link.refused))) {
          link.missed.add(name);
          throw new Error("away");
        }
        const result = await method.apply(target, values);
        if (name === "writeDocument") link.onWritten(String(values[0]));
        return result;
      };
    },
  });
  return { inner, store, link };
}

const askedOf = ({ request }: Feed): readonly string[] =>
  request.messages.map(({ role, content }) => `${role}: ${content.map((p) => ("text" in p ? p.text : "")).join("")}`);

test("a whole answer stays as it is and where it is, if the store was away just after its end", async () => {
  const { inner, store, link } = createFlakyStore();
  const engine = createFedEngine();
  const { api, chat, say } = await openStage({ engine, store });
  // It is in its conversation, and cannot be taken off the list any more.
  link.onWritten = (written) => (link.isAway ||= written.startsWith("telegram-conversations"));

  say("One");
  const first = await engine.feed(0);
  first.say("First answer.");
  first.end();
  await api.until(() => chat.lastFromBot?.text === "First answer." && chat.lastFromBot.buttons.length === 0, "so");
  await expect.poll(() => link.missed).toContain("deleteDocument");
  link.onWritten = () => undefined;
  link.isAway = false;
  say("Two");
  const second = await engine.feed(1);
  second.say("Second answer.");
  second.end();
  await api.until(() => chat.messages[3]?.text === "Second answer." && chat.messages[3].buttons.length === 0, "so");
  await expect.poll(async () => (await inner.ended()).length).toBe(2);
  say("Three");
  const third = await engine.feed(2);

  expect(askedOf(third)).toEqual([
    "user: One",
    "assistant: First answer.",
    "user: Two",
    "assistant: Second answer.",
    "user: Three",
  ]);
  const shown = chat.messages.map(({ text, buttons }) => [text, buttons.length]).slice(0, 4);
  expect(shown).toEqual([
    ["One", 0],
    ["First answer.", 0],
    ["Two", 0],
    ["Second answer.", 0],
  ]);
});

test("what is said while the store is away is known to the next answer, and in the conversation later", async () => {
  const { inner, store, link } = createFlakyStore();
  const engine = createFedEngine();
  const { api, chat, say } = await openStage({ engine, store });
  const answer = async (number: number, words: string): Promise<Feed> => {
    const feed = await engine.feed(number);
    feed.say(words);
    feed.end();
    await api.until(() => chat.lastFromBot?.text === words && chat.lastFromBot.buttons.length === 0, words);
    return feed;
  };

  say("One");
  const first = await engine.feed(0);
  first.say("Once upon");
  await api.until(() => chat.lastFromBot?.text === "Once upon", "the beginning is seen");
  link.isAway = true;
  first.say(" a time.");
  first.end();
  await api.until(() => chat.lastFromBot?.buttons.length === 0, "it is whole");
  say("Two");
  const second = await answer(1, "Second answer.");
  expect(askedOf(second)).toEqual(["user: One", "assistant: Once upon a time.", "user: Two"]);

  link.isAway = false;
  await expect.poll(() => inner.documentNames(`telegram-unfinished-${api.botInfo.id}`)).toEqual([]);
  await expect.poll(async () => (await inner.ended()).length).toBe(2);
  say("Three");
  const third = await answer(2, "Third answer.");

  const said = ["user: One", "assistant: Once upon a time.", "user: Two", "assistant: Second answer.", "user: Three"];
  expect(askedOf(third)).toEqual(said);
  const name = `${chat.id}_${chat.id}`;
  const document = await inner.readDocument(`telegram-conversations-${api.botInfo.id}`, name);
  expect(document?.value.match(/"role":/gu)).toHaveLength(6);
  expect(chat.messages.map(({ text }) => text)).not.toContainEqual(expect.stringContaining("[interrupted]"));
});

/** Two processes that are one bot, each with its own way to the store. */
async function openTwo(options: Pick<TestBotOptions, "leaseMilliseconds"> = {}) {
  const inner = createMemoryStore();
  const [a, b] = [createFlakyStore(inner), createFlakyStore(inner)];
  const engines = { a: createFedEngine(), b: createFedEngine() };
  const two = await openTwoProcesses({
    a: { ...options, engine: engines.a, store: a.store },
    b: { ...options, engine: engines.b, store: b.store },
  });
  const { api, ann, chat, sendTo } = two;
  const ask = async (name: "a" | "b", number: number, words: string): Promise<Feed> => {
    sendTo(name);
    api.say(chat, ann, words);
    return engines[name].feed(number);
  };
  const answer = async (feed: Feed, words: string): Promise<void> => {
    feed.say(words);
    feed.end();
    await api.until(() => chat.lastFromBot?.text === words && chat.lastFromBot.buttons.length === 0, words);
  };
  const unfinished = () => inner.documentNames(`telegram-unfinished-${api.botInfo.id}`);
  const countKept = async (): Promise<number | undefined> => {
    const name = `${chat.id}_${chat.id}`;
    const document = await inner.readDocument(`telegram-conversations-${api.botInfo.id}`, name);
    return document?.value.match(/"role":/gu)?.length;
  };
  return { ...two, links: { a: a.link, b: b.link }, ask, answer, unfinished, countKept };
}

test.each([
  { by: "its process", back: "a" },
  { by: "another one", back: "b" },
] as const)("what was forgotten stays so, also if its answer is written late by $by", async ({ back }) => {
  const { api, chat, ann, links, sendTo, ask, answer, unfinished } = await openTwo({ leaseMilliseconds: 1_000 });
  const secret = await ask("a", 0, "My secret is 42");
  links.a.refused = "telegram-conversations";
  links.b.refused = "telegram-unfinished";
  await answer(secret, "Noted.");

  sendTo("b");
  api.say(chat, ann, "/new");
  await api.until(() => chat.lastFromBot?.text === ENGLISH.newConversation, "it is forgotten");
  links[back].refused = undefined;
  await expect.poll(unfinished).toEqual([]);
  links.a.refused = undefined;
  links.b.refused = undefined;

  expect(askedOf(await ask("b", 0, "What is my secret?"))).toEqual(["user: What is my secret?"]);
});

test("what two processes write late stands in the order in which it was asked", async () => {
  const { links, ask, answer, countKept } = await openTwo();
  links.a.isAway = true;
  links.b.isAway = true;
  await answer(await ask("a", 0, "One"), "First.");
  await answer(await ask("b", 0, "Two"), "Second.");
  links.b.isAway = false;
  await expect.poll(countKept).toBe(2);
  links.a.isAway = false;
  await expect.poll(countKept).toBe(4);

  expect(askedOf(await ask("b", 1, "Three"))).toEqual([
    "user: One",
    "assistant: First.",
    "user: Two",
    "assistant: Second.",
    "user: Three",
  ]);
});

test("a whole answer is known as such, also if another process has finished what was recorded of it", async () => {
  const { api, chat, links, ask, countKept } = await openTwo({ leaseMilliseconds: 1_000 });
  const feed = await ask("a", 0, "One");
  feed.say("Once upon");
  await api.until(() => chat.lastFromBot?.text === "Once upon", "the beginning is seen");
  links.a.isAway = true;
  feed.say(" a time.");
  feed.end();
  await api.until(() => chat.messages[1]?.text === "Once upon a time.", "it is whole");
  // The question, what was recorded, and that it was interrupted.
  await expect.poll(countKept).toBe(3);
  links.a.isAway = false;
  await expect.poll(countKept).toBe(2);

  expect(askedOf(await ask("b", 0, "Two"))).toEqual(["user: One", "assistant: Once upon a time.", "user: Two"]);
});
