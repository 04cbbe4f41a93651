import { describe, expect, test } from "vitest";
import type { ChatScreen } from "./support/bot-api/index.ts";
import { openSlowStage } from "./support/slow-stage.ts";
import type { MadeCall } from "./support/slow-stage.ts";

function gapsOf(times: readonly number[]): readonly number[] {
  return times.slice(1).map((time, index) => time - times[index]!);
}

function timesIn({ id }: ChatScreen, made: readonly MadeCall[]): readonly number[] {
  return made.filter(({ chat }) => chat === id).map(({ at }) => at);
}

describe("the first sign of life", () => {
  test("is there at once, in the topic of the question, and is no message", async () => {
    const { api, ann, pass, engine, made } = await openSlowStage();
    const forum = api.group({ title: "Forum", isForum: true, members: [ann] });
    const topic = forum.topic("Cats");
    api.say(forum, ann, "@fullstop_bot hello", { topic });
    const feed = await engine.feed(0);
    await api.until(() => forum.actions.length === 1, "it types");
    expect(forum.actions).toEqual([{ action: "typing", topic }]);
    expect(made).toEqual([]);
    feed.say("Hello");
    feed.end();
    await pass(100);
    expect(forum.lastFromBot).toMatchObject({ text: "Hello", topic: "Cats", buttons: [] });
  });

  test("is a message with a stop button after 700 ms", async () => {
    const { api, chat, say, pass, engine } = await openSlowStage();
    say("hello");
    const feed = await engine.feed(0);
    await pass(699);
    expect(api.callsOf("sendMessage")).toEqual([]);
    await pass(1);
    await api.until(() => chat.lastFromBot !== undefined, "the placeholder is seen");
    expect(chat.lastFromBot).toMatchObject({ text: "…", buttons: [["⏹ Stop"]] });
    const typed = chat.actions.length;

    await pass(20_000);
    expect(chat.actions).toHaveLength(typed);
    feed.say("Hello");
    feed.end();
    await pass(5_000);
    await api.until(() => chat.lastFromBot?.text === "Hello" && chat.lastFromBot.buttons.length === 0, "it is done");
    expect(chat.messages.filter(({ isFromBot }) => isFromBot)).toHaveLength(1);
  });

  test("is the text itself where that comes earlier, and never an empty message", async () => {
    const { api, chat, say, pass, engine } = await openSlowStage();
    say("hello");
    const feed = await engine.feed(0);
    for (const blank of [" ", "\n", "\n\n"]) feed.say(blank);
    await pass(300);
    feed.say("Hello");
    await pass(1_200);
    await api.until(() => chat.lastFromBot?.text === "Hello", "it is seen");
    feed.end();
    await pass(5_000);
    await api.until(() => chat.lastFromBot?.buttons.length === 0, "it is done");
    const texts = [...api.callsOf("sendMessage"), ...api.callsOf("editMessageText")].map(({ parameters }) =>
      String(parameters["text"]),
    );
    expect(texts.every((text) => text.trim() !== "")).toBe(true);
  });
});

describe("while an answer is written", () => {
  test("the messages of a private chat are edited every 1.1 seconds, and the end comes at once", async () => {
    const { api, chat, say, pass, engine, made, stream } = await openSlowStage();
    say("hello");
    const feed = await engine.feed(0);
    await stream([feed], 8);
    const times = timesIn(chat, made);
    expect(Math.min(...gapsOf(times))).toBeGreaterThanOrEqual(1_100);
    expect(times.length).toBeGreaterThan(4);
    expect(times.length).toBeLessThanOrEqual(8);

    feed.say("end.");
    feed.end();
    await pass(0);
    await api.until(
      () => chat.lastFromBot?.text.endsWith("end.") === true && chat.lastFromBot.buttons.length === 0,
      "it is whole",
    );
    expect(chat.lastFromBot?.text).toBe(`${Array.from({ length: 80 }, (_, index) => `word${index} `).join("")}end.`);
    expect(api.calls.every(({ answer }) => typeof answer !== "object" || answer.ok)).toBe(true);
  });

  test("nothing is called when nothing has changed", async () => {
    const { api, chat, say, pass, engine, made } = await openSlowStage();
    say("hello");
    const feed = await engine.feed(0);
    feed.say("Hello");
    await pass(100);
    await api.until(() => chat.lastFromBot?.text === "Hello", "it is seen");
    const calls = timesIn(chat, made).length;
    for (let count = 0; count < 50; count += 1) {
      feed.push({ type: "text", text: "" });
      await pass(500);
    }
    expect(timesIn(chat, made)).toHaveLength(calls);
    feed.end();
    await pass(0);
    await api.until(() => chat.lastFromBot?.buttons.length === 0, "it is done");
  });

  test("two answers in one group share 3 seconds, and take turns", async () => {
    const { api, ann, pass, engine, made, stream } = await openSlowStage();
    const bob = api.person({ firstName: "Bob" });
    const group = api.group({ title: "Group", members: [ann, bob] });
    api.say(group, ann, "@fullstop_bot one");
    api.say(group, bob, "@fullstop_bot two");
    const feeds = [await engine.feed(0), await engine.feed(1)];
    await stream(feeds, 25);

    const edits = made.filter(({ method }) => method === "editMessageText");
    const gaps = gapsOf(edits.map(({ at }) => at));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(3_000);
    expect(edits.length).toBeGreaterThan(5);
    const edited = edits.map(({ message }) => message);
    expect(edited.slice(1).every((id, index) => id !== edited[index])).toBe(true);

    for (const feed of feeds) feed.end();
    await pass(0);
    await api.until(
      () => group.messages.filter(({ isFromBot, buttons }) => isFromBot && buttons.length === 0).length === 2,
      "both are done",
    );
  });
});

describe("commands that are sent again and again", () => {
  test("are answered one by one, each person for themselves, and nothing that waits to be said is said twice", async () => {
    const { api, ann, bot } = await openSlowStage();
    const bob = api.person({ firstName: "Bob" });
    const group = api.group({ title: "Group", members: [ann, bob] });
    const flood = { code: 429, description: "Too Many Requests: retry after 1", parameters: { retry_after: 1 } };
    api.refuse("sendMessage", flood, { times: 2 });
    for (let count = 0; count < 15; count += 1)
      for (const person of [ann, bob]) api.say(group, person, "/stop@fullstop_bot");
    const answers = () => group.messages.filter(({ isFromBot }) => isFromBot);
    await api.until(() => answers().length > 0 && api.pendingUpdates === 0, "all have come");
    // It says what it has to say before.
    await bot.stop();
    expect(answers()).toHaveLength(3);
    // Whoever was first was answered when the others came, and is answered once more.
    const askers = answers().map(({ replyTo }) => group.messages.find(({ id }) => id === replyTo)?.from);
    expect(new Set(askers)).toEqual(new Set(["Ann", "Bob"]));
    // The first one twice in vain.
    expect(api.callsOf("sendMessage")).toHaveLength(5);
  });
});

describe("when Telegram asks for a pause", () => {
  const flood = { code: 429, description: "Too Many Requests: retry after 9", parameters: { retry_after: 9 } };

  test.each(["sendMessage", "editMessageText"] as const)(
    "after %s, nobody calls that chat before it is over, others go on, and the pace is slower then",
    async (method) => {
      const { api, chat, say, pass, engine, made, stream } = await openSlowStage();
      const bob = api.person({ firstName: "Bob" });
      const other = api.privateChat(bob);
      const fault = api.refuse(method, flood, { chat });
      say("hello");
      const feed = await engine.feed(0);
      api.say(other, bob, "hello");
      const feedOfBob = await engine.feed(1);
      await stream([feed, feedOfBob], 22);

      const times = timesIn(chat, made);
      const pausedAt = made.find((call) => call.method === method && call.chat === chat.id)?.at ?? -1;
      expect(fault.used).toBe(1);
      expect(times.filter((at) => at > pausedAt && at < pausedAt + 9_000)).toEqual([]);
      const after = times.filter((at) => at >= pausedAt + 9_000);
      expect(after.length).toBeGreaterThan(2);
      expect(Math.min(...gapsOf(after))).toBeGreaterThanOrEqual(2_200);
      const meanwhile = timesIn(other, made).filter((at) => at > pausedAt && at < pausedAt + 9_000);
      expect(meanwhile.length).toBeGreaterThan(4);

      feed.say("end.");
      feed.end();
      feedOfBob.end();
      await pass(5_000);
      await api.until(
        () => chat.lastFromBot?.text.endsWith("word219 end.") === true && chat.lastFromBot.buttons.length === 0,
        "it is whole",
      );
    },
  );

  test("the last state waits for it and is not lost", async () => {
    const { api, chat, say, pass, engine } = await openSlowStage();
    say("hello");
    const feed = await engine.feed(0);
    feed.say("Hello");
    await pass(100);
    await api.until(() => chat.lastFromBot?.text === "Hello", "it is seen");
    api.refuse("editMessageText", flood);
    feed.say(" and goodbye");
    feed.end();
    await pass(100);
    await api.until(() => api.callsOf("editMessageText").length === 1, "it was tried");
    await pass(8_000);
    expect(api.callsOf("editMessageText")).toHaveLength(1);
    await pass(1_000);
    await api.until(() => chat.lastFromBot?.text === "Hello and goodbye", "it is whole");
    expect(chat.lastFromBot?.buttons).toEqual([]);
  });
});
