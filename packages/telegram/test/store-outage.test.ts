import { createMemoryStore } from "fullstop/control";
import type { Store } from "fullstop/control";
import { expect, test } from "vitest";
import { createFedEngine } from "./support/fed-engine.ts";
import type { Feed } from "./support/fed-engine.ts";
import { openStage } from "./support/stage.ts";

/** A store that can go away: what is called when a document is written, and what was called in vain. */
function createFlakyStore() {
  const inner = createMemoryStore();
  const link = { isAway: false, missed: new Set<keyof Store>(), onWritten: (_folder: string): void => undefined };
  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      // There is no short cut past what can be away.
      if (name === "immediate") return undefined;
      const method = target[name] as (...values: unknown[]) => unknown;
      return async (...values: unknown[]) => {
        if (link.isAway) {
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
