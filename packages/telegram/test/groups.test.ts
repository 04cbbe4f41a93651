import { createMemoryStore } from "fullstop/control";
import { createGate, createScriptedEngine, finish, start, text } from "fullstop/testing";
import type { Gate } from "fullstop/testing";
import type { Update, User } from "grammy/types";
import { describe, expect, test } from "vitest";
import type { ChatScreen, SeenMessage } from "./support/bot-api/index.ts";
import { askedOf, endsOf, metricOf } from "./support/records.ts";
import { openStage } from "./support/stage.ts";
import type { TestBotOptions } from "./support/open-bot.ts";
import type { BotApiOptions } from "./support/bot-api/index.ts";

const STOP = "⏹ Stop";
const STOPPED = "Generation stopped.";
const NOTHING = "No active generation to stop.";
const NOT_YOURS = "You can only stop your own generations";

/** A stage whose engine repeats the last question and then waits, until its gate is opened. */
async function openGroups(
  options: Partial<Omit<TestBotOptions, "engine" | "gateway">> = {},
  apiOptions: BotApiOptions = {},
) {
  const gates: Gate[] = [];
  const engine = createScriptedEngine(({ messages }) => {
    const gate = createGate();
    gates.push(gate);
    const last = messages.at(-1)?.content.map((part) => ("text" in part ? part.text : ""));
    return [start(), text(`About ${last?.join("")}:`), gate.pass, text(" done."), finish()];
  });
  const store = createMemoryStore();
  const stage = await openStage({ engine, store, ...options }, apiOptions);
  const { api, ann } = stage;
  const [ben, cleo, dan] = ["Ben", "Cleo", "Dan"].map((firstName) => api.person({ firstName })) as [User, User, User];
  const openGroup = (type: "group" | "supergroup" = "supergroup", isForum = false): ChatScreen =>
    api.group({ title: "Whales", type, isForum, admins: [cleo], members: [ann, ben, dan] });
  return {
    ...stage,
    engine,
    store,
    gates,
    ben,
    cleo,
    dan,
    openGroup,
    until: (chat: ChatScreen, is: (said: string) => boolean): Promise<SeenMessage> =>
      api.until(() => chat.messages.find((message) => message.isFromBot && is(message.text)), "it is said"),
  };
}

describe("in a group", () => {
  test.each([
    ["a mention", "@fullstop_bot whales", "whales"],
    ["a mention in other letters", "Tell me, @Fullstop_Bot, about whales", "Tell me, , about whales"],
  ])("%s is answered, as a reply", async (_how, said, heard) => {
    const { ann, api, openGroup, until } = await openGroups();
    const group = openGroup();

    const question = api.say(group, ann, said);
    const answer = await until(group, (seen) => seen === `About ${heard}:`);

    expect(answer.replyTo).toBe(question.id);
  });

  test.each(["REPLY_MESSAGE_ID_INVALID", "message to be replied not found"])(
    "a question that was deleted is answered without a reply where Telegram refuses one: %s",
    async (description) => {
      const { ann, api, openGroup, until } = await openGroups();
      const group = openGroup();
      api.refuse("sendMessage", { code: 400, description: `Bad Request: ${description}` });

      api.say(group, ann, "@fullstop_bot whales");
      const answer = await until(group, (said) => said === "About whales:");

      expect(answer.replyTo).toBeUndefined();
    },
  );

  test("a reply to the bot is answered", async () => {
    const { ann, api, gates, openGroup, until } = await openGroups();
    const group = openGroup();

    api.say(group, ann, "@fullstop_bot whales");
    const first = await until(group, (said) => said === "About whales:");
    gates[0]?.open();
    await until(group, (said) => said === "About whales: done.");
    const question = api.say(group, ann, "and dolphins", { replyTo: first });

    expect((await until(group, (said) => said === "About and dolphins:")).replyTo).toBe(question.id);
  });

  test("what is not for the bot is nothing to it, even if it hears it, and is left to others", async () => {
    const { ann, ben, api, bot, engine, store, openGroup, until } = await openGroups(
      {},
      { bot: { can_read_all_group_messages: true } },
    );
    const group = openGroup();
    const left: string[] = [];
    bot.grammy.on("message:text", ({ message }) => void left.push(message.text));

    const other = api.say(group, ann, "Hello everybody");
    api.say(group, ben, "Hello Ann", { replyTo: other });
    api.say(group, ben, "@fullstop_bots and /stop@other_bot are others, and so is x@fullstop_bot.org");
    api.say(group, ben, "/weather");
    api.say(group, ann, "@fullstop_bot whales");
    await until(group, (said) => said === "About whales:");

    expect(engine.requests).toHaveLength(1);
    expect(group.messages.filter(({ isFromBot }) => isFromBot)).toHaveLength(1);
    expect(left).toHaveLength(4);
    expect(await store.documentNames(`telegram-updates-${api.botInfo.id}`)).toHaveLength(1);
  });

  test("two people have an answer and a conversation each, and cannot stop each other", async () => {
    const { ann, ben, api, engine, gates, store, openGroup, until } = await openGroups();
    const group = openGroup();

    api.say(group, ann, "@fullstop_bot whales");
    const whales = await until(group, (said) => said === "About whales:");
    api.say(group, ben, "@fullstop_bot eels");
    await until(group, (said) => said === "About eels:");
    expect(await api.press(group, ben, STOP, whales).answered).toMatchObject({ text: NOT_YOURS, isAlert: true });
    const refused = api.say(group, ben, "/stop@fullstop_bot", { replyTo: whales });
    expect((await until(group, (said) => said === NOT_YOURS)).replyTo).toBe(refused.id);
    api.say(group, ben, "/stop");
    await until(group, (said) => said === "About eels:\n\n[interrupted]");
    gates[0]?.open();
    await until(group, (said) => said === "About whales: done.");

    expect((await endsOf(store, 2)).map(({ reason }) => reason)).toEqual(["natural_completion", "cancelled"]);
    expect(engine.requests[1]?.messages).toHaveLength(1);
  });

  test("somebody who has asked nothing has nothing to stop", async () => {
    const { ann, dan, api, gates, openGroup, until } = await openGroups();
    const group = openGroup();

    api.say(group, ann, "@fullstop_bot whales");
    await until(group, (said) => said === "About whales:");
    api.say(group, dan, "/stop@fullstop_bot");
    await until(group, (said) => said === NOTHING);
    gates[0]?.open();

    expect((await until(group, (said) => said === "About whales: done.")).buttons).toEqual([]);
  });

  test("an administrator stops by a reply or a press, and is told apart from the one who asked", async () => {
    const { ann, cleo, api, bot, store, logged, openGroup, until } = await openGroups();
    const group = openGroup();

    api.say(group, ann, "@fullstop_bot whales");
    const whales = await until(group, (said) => said === "About whales:");
    api.say(group, cleo, "/stop", { replyTo: whales });
    await until(group, (said) => said === "About whales:\n\n[interrupted]");
    await until(group, (said) => said === STOPPED);
    await endsOf(store, 1);
    api.say(group, ann, "@fullstop_bot eels");
    const eels = await until(group, (said) => said === "About eels:");
    expect((await api.press(group, cleo, STOP, eels).answered).text).toBe("Stopping…");
    await until(group, (said) => said === "About eels:\n\n[interrupted]");

    expect(await endsOf(store, 2)).toMatchObject([{ detail: "operator" }, { detail: "operator" }]);
    expect(await metricOf(bot.registry, "bot_generation_stop_reasons_total")).toEqual([
      'bot_generation_stop_reasons_total{reason="operator"} 2',
    ]);
    expect(logged.filter(({ message }) => message === "an answer was stopped")).toMatchObject([
      { fields: { reason: "operator", chatType: "supergroup" } },
      { fields: { reason: "operator", chatType: "supergroup" } },
    ]);
  });

  test("an administrator stops by a reply to the question, too", async () => {
    const { api, ann, cleo, openGroup, until } = await openGroups();
    const group = openGroup();
    const question = api.say(group, ann, "@fullstop_bot whales");
    await until(group, (said) => said === "About whales:");

    api.say(group, cleo, "/stop", { replyTo: question });
    await until(group, (said) => said === STOPPED);

    await expect(until(group, (said) => said === "About whales:\n\n[interrupted]")).resolves.toBeDefined();
  });

  test("whoever is no administrator any more at the press may not stop", async () => {
    const { ann, dan, api, openGroup, until } = await openGroups();
    const group = openGroup();
    api.setAdmin(group, dan, true);

    api.say(group, ann, "@fullstop_bot whales");
    await until(group, (said) => said === "About whales:");
    api.setAdmin(group, dan, false);
    expect(await api.press(group, dan, STOP).answered).toMatchObject({ text: NOT_YOURS, isAlert: true });
    api.setAdmin(group, dan, true);

    expect((await api.press(group, dan, STOP).answered).text).toBe("Stopping…");
  });

  test("an administrator may not ask in somebody's name", async () => {
    const { ann, cleo, api, engine, store, openGroup, until } = await openGroups();
    const group = openGroup();

    api.say(group, ann, "@fullstop_bot whales");
    await until(group, (said) => said === "About whales:");
    api.press(group, cleo, STOP);
    await until(group, (said) => said === "About whales:\n\n[interrupted]");
    await endsOf(store, 1);
    for (const button of ["▶ Continue", "🔄 Regenerate"]) {
      expect((await api.press(group, cleo, button).answered).isAlert).toBe(true);
    }

    expect(engine.requests).toHaveLength(1);
  });

  test("anonymous administrators are one person, and may stop everybody", async () => {
    const { ann, ben, cleo, api, store, openGroup, until } = await openGroups();
    const group = openGroup();

    api.say(group, cleo, "@fullstop_bot whales", { as: group });
    await until(group, (said) => said === "About whales:");
    expect((await api.press(group, ben, STOP).answered).text).toBe(NOT_YOURS);
    api.say(group, cleo, "/stop", { as: group });
    await until(group, (said) => said === "About whales:\n\n[interrupted]");
    await endsOf(store, 1);
    expect((await api.press(group, cleo, "🔄 Regenerate").answered).text).toBe("One moment…");
    api.say(group, ann, "@fullstop_bot eels");
    const eels = await until(group, (said) => said === "About eels:");
    api.say(group, cleo, "/stop", { as: group, replyTo: eels });
    await until(group, (said) => said === "About eels:\n\n[interrupted]");
  });

  test("somebody who writes in the name of a channel may stop what the channel asked for, and no more", async () => {
    const { ann, ben, api, openGroup, until } = await openGroups();
    const group = openGroup();
    const channel = api.channel({ title: "Eels", admins: [ben] });

    api.say(group, ann, "@fullstop_bot whales");
    const whales = await until(group, (said) => said === "About whales:");
    api.say(group, ben, "/stop", { as: channel, replyTo: whales });
    await until(group, (said) => said === NOT_YOURS);
    api.say(group, ben, "@fullstop_bot eels", { as: channel });
    await until(group, (said) => said === "About eels:");
    api.say(group, ben, "/stop", { as: channel });
    await until(group, (said) => said === "About eels:\n\n[interrupted]");

    expect(group.messages.find(({ id }) => id === whales.id)?.text).toBe("About whales:");
  });
});

test("a group that becomes a supergroup keeps what was said, also what was just being said", async () => {
  // The first group that there is, and the first people.
  const allow = { chats: [-4_000_000_001], users: [5_000_000_001, 5_000_000_002] };
  const { api, ann, ben, bot, engine, gates, logged, openGroup, until } = await openGroups({ allow });
  const group = openGroup("group");
  const supergroup = openGroup("supergroup");
  api.say(group, ann, "@fullstop_bot whales");
  await until(group, (said) => said === "About whales:");
  gates[0]?.open();
  await until(group, (said) => said === "About whales: done.");
  api.say(group, ben, "@fullstop_bot eels");
  await until(group, (said) => said === "About eels:");

  const chat = { id: group.id, type: "group", title: "Whales" } as const;
  const message = { message_id: 900, date: 0, chat, from: ann, migrate_to_chat_id: supergroup.id } as const;
  await bot.grammy.handleUpdate({ update_id: 1, message });
  await expect.poll(() => logged.map(({ fields }) => fields)).toContainEqual({ from: group.id, to: supergroup.id });
  api.say(supergroup, ann, "@fullstop_bot and?");
  await until(supergroup, (said) => said === "About and?:");
  api.say(supergroup, ben, "@fullstop_bot well?");
  await until(supergroup, (said) => said === "About well?:");

  expect(askedOf(engine, 2).slice(0, 2)).toEqual(["user: whales", "assistant: About whales: done."]);
  expect(askedOf(engine, 3).slice(0, 2)).toEqual(["user: eels", "assistant: About eels:"]);
});

describe("in a forum", () => {
  test("each topic has an answer and a conversation of its own, and everything is said in it", async () => {
    const { ann, api, engine, gates, store, openGroup, until } = await openGroups();
    const forum = openGroup("supergroup", true);
    const [whales, eels] = [forum.topic("Whales"), forum.topic("Eels")];

    api.say(forum, ann, "@fullstop_bot whales", { topic: whales });
    expect(await until(forum, (said) => said === "About whales:")).toMatchObject({ topic: "Whales" });
    api.say(forum, ann, "@fullstop_bot eels", { topic: eels });
    expect(await until(forum, (said) => said === "About eels:")).toMatchObject({ topic: "Eels" });
    api.say(forum, ann, "@fullstop_bot fish");
    expect(await until(forum, (said) => said === "About fish:")).toMatchObject({ topic: undefined });
    api.say(forum, ann, "/stop", { topic: eels });
    expect(await until(forum, (said) => said === STOPPED)).toMatchObject({ topic: "Eels" });
    await until(forum, (said) => said === "About eels:\n\n[interrupted]");
    gates[0]?.open();
    gates[2]?.open();
    await until(forum, (said) => said === "About whales: done.");
    await until(forum, (said) => said === "About fish: done.");
    await endsOf(store, 3);

    expect(engine.requests.map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
    expect(forum.actions.map(({ topic }) => topic?.name)).toEqual(["Whales", "Eels", undefined]);
  });

  test("an answer is written again in its topic", async () => {
    const { ann, api, gates, store, openGroup, until } = await openGroups();
    const forum = openGroup("supergroup", true);

    api.say(forum, ann, "@fullstop_bot whales", { topic: forum.topic("Whales") });
    const first = await until(forum, (said) => said === "About whales:");
    api.press(forum, ann, STOP);
    await until(forum, (said) => said === "About whales:\n\n[interrupted]");
    await endsOf(store, 1);
    expect((await api.press(forum, ann, "🔄 Regenerate").answered).text).toBe("One moment…");
    await expect.poll(() => gates.length).toBe(2);
    gates[1]?.open();

    const second = await until(forum, (said) => said === "About whales: done.");
    expect(second).toMatchObject({ topic: "Whales", replyTo: first.id });
  });

  test("what is said in a topic that the bot has opened is not for the bot by that alone", async () => {
    const { api, ann, bot, openGroup, engine, until } = await openGroups(
      {},
      { bot: { can_read_all_group_messages: true } },
    );
    const forum = openGroup("supergroup", true);
    const topic = forum.topic("Whales");
    api.say(forum, ann, "Nice weather", { topic });
    const said = api.updates.at(-1)?.message;
    const created = { name: "Whales", icon_color: 0x6f_b9_f0 };
    const beginning = { ...said, message_id: topic.id, from: api.botInfo, forum_topic_created: created };
    const message = { ...said, message_id: 1_000, reply_to_message: beginning };

    await bot.grammy.handleUpdate({ update_id: 1, message } as object as Update);
    api.say(forum, ann, "@fullstop_bot whales", { topic });
    await until(forum, (words) => words.startsWith("About"));

    expect(forum.lastFromBot?.text).toBe("About whales:");
    expect(engine.requests).toHaveLength(1);
  });

  test("a stop in a topic finds nothing of another, nor of the general one", async () => {
    const { ann, api, gates, openGroup, until } = await openGroups();
    const forum = openGroup("supergroup", true);

    api.say(forum, ann, "@fullstop_bot fish");
    await until(forum, (said) => said === "About fish:");
    api.say(forum, ann, "/stop", { topic: forum.topic("Whales") });
    await until(forum, (said) => said === NOTHING);
    gates[0]?.open();

    expect((await until(forum, (said) => said === "About fish: done.")).buttons).toEqual([]);
  });

  test("replies in a group without topics are no topics", async () => {
    const { ann, ben, api, openGroup, until } = await openGroups();
    const group = openGroup();

    const root = api.say(group, ben, "Look at this");
    api.say(group, ann, "@fullstop_bot whales", { replyTo: root });
    await until(group, (said) => said === "About > Look at this\n\nwhales:");
    const stop = api.say(group, ann, "/stop");
    await until(group, (said) => said.endsWith("whales:\n\n[interrupted]"));

    expect((await until(group, (said) => said === STOPPED)).replyTo).toBe(stop.id);
  });

  test("private chats can have topics, too", async () => {
    const { api, until } = await openGroups();
    const eve = api.person({ firstName: "Eve" });
    const chat = api.privateChat(eve, { hasTopics: true });

    api.say(chat, eve, "whales", { topic: chat.topic("Whales") });
    expect((await until(chat, (said) => said === "About whales:")).topic).toBe("Whales");
    api.say(chat, eve, "eels", { topic: chat.topic("Eels") });
    expect((await until(chat, (said) => said === "About eels:")).topic).toBe("Eels");
    api.say(chat, eve, "/stop", { topic: chat.topic("Whales") });

    await until(chat, (said) => said === "About whales:\n\n[interrupted]");
    expect(chat.messages.find((message) => message.text === "About eels:")).toBeDefined();
  });
});

describe("in a channel", () => {
  test("a mention is answered, and administrators stop it, write it again and talk to it as the channel", async () => {
    const { ann, ben, api, bot, engine, store, until } = await openGroups();
    const channel = api.channel({ title: "Whale news", admins: [ann, ben] });

    api.say(channel, ann, "@fullstop_bot whales");
    await until(channel, (said) => said === "About whales:");
    expect((await api.press(channel, ben, STOP).answered).text).toBe("Stopping…");
    await until(channel, (said) => said === "About whales:\n\n[interrupted]");
    await endsOf(store, 1);
    expect((await api.press(channel, ann, "🔄 Regenerate").answered).text).toBe("One moment…");
    await until(channel, (said) => said === "About whales:");
    api.say(channel, ben, "/stop");
    await until(channel, (said) => said === STOPPED);

    expect(engine.requests).toHaveLength(2);
    expect(await metricOf(bot.registry, "bot_generation_stops_total")).toEqual([
      'bot_generation_stops_total{phase="text",chat_type="channel"} 2',
    ]);
  });
});
