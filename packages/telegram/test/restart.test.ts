import { describe, expect, onTestFinished, test } from "vitest";
import type { User } from "grammy/types";
import { startRedis } from "../../gateway/test/support/redis-server.ts";
import { startBotApi } from "./support/bot-api/index.ts";
import type { BotApi, ChatScreen } from "./support/bot-api/index.ts";
import { startBotProcess } from "./support/bot-process.ts";
import type { BotProcess, ChildStore } from "./support/bot-process.ts";
import { temporaryFile } from "./support/temporary-file.ts";

interface Scene {
  readonly api: BotApi;
  readonly ann: User;
  readonly chat: ChatScreen;
  readonly store: ChildStore;
}

/** Long enough to be alive on a busy machine, short enough to be found dead soon. */
const leaseMilliseconds = 1_000;

async function openFile(): Promise<ChildStore> {
  return { file: temporaryFile("bot.db") };
}

const STORES: readonly { readonly name: string; readonly open: () => Promise<ChildStore> }[] = [
  { name: "a file", open: openFile },
  {
    name: "Redis",
    async open() {
      const redis = await startRedis();
      onTestFinished(() => redis.stop());
      return { redis: redis.url };
    },
  },
];

async function setScene(open: () => Promise<ChildStore>): Promise<Scene> {
  const api = await startBotApi();
  onTestFinished(() => api.close());
  const store = await open();
  const ann = api.person({ firstName: "Ann" });
  return { api, ann, chat: api.privateChat(ann), store };
}

/** Waits until the beginning of the story is seen, and edited: then the bot knows in which message it is. */
async function untilBegun(api: BotApi, bot: BotProcess, chat: ChatScreen): Promise<void> {
  await api.until(() => chat.lastFromBot?.text.includes("Once upon"), "the beginning is seen");
  bot.goOn();
  await api.until(() => chat.lastFromBot?.text.includes("Once upon a time"), "more is seen");
}

/** Waits until a question is answered, and nothing more comes. */
async function untilAnswered(api: BotApi, chat: ChatScreen, question: string): Promise<void> {
  await api.until(() => {
    const { text = "", buttons = [] } = chat.lastFromBot ?? {};
    return text.includes(question) && buttons.length === 0;
  }, `"${question}" is answered`);
}

describe.each(STORES)("a bot with $name that is killed in the middle of an answer", ({ open }) => {
  test("marks it as interrupted with all that was seen, and knows of it when it goes on", async () => {
    const { api, ann, chat, store } = await setScene(open);
    const first = await startBotProcess(api, store, { leaseMilliseconds });
    api.say(chat, ann, "Begin a story");
    await untilBegun(api, first, chat);

    await first.kill();
    await startBotProcess(api, store, { leaseMilliseconds });
    await api.until(() => chat.lastFromBot?.text.includes("[interrupted]"), "it is marked");
    api.say(chat, ann, "What have we said?");
    await untilAnswered(api, chat, "What have we said?");

    expect(chat.transcript()).toMatchInlineSnapshot(`
      "# Ann and Fullstop

      Ann:
        Begin a story

      Fullstop:
        > (collapsed)
        > A tale?
        Once upon a time

        _[interrupted]_
        [▶ Continue] [🔄 Regenerate]

      Ann:
        What have we said?

      Fullstop:
        user: Begin a story
        assistant: Once upon a time
        user: The previous answer was interrupted (owner_lost).
        user: What have we said?
      "
    `);
  });

  test("shows the whole answer where only its last edit was missing, and has it once in the conversation", async () => {
    const { api, ann, chat, store } = await setScene(open);
    const first = await startBotProcess(api, store, { leaseMilliseconds });
    const fault = api.drop("editMessageText", { times: 1_000 });
    api.say(chat, ann, "Say it all");
    await api.until(() => chat.lastFromBot?.text === "This is", "the beginning is seen");
    first.goOn();
    const isLast = ({ parameters }: { readonly parameters: Readonly<Record<string, unknown>> }): boolean =>
      parameters["text"] === "This is all." && parameters["reply_markup"] === undefined;
    await api.until(() => api.callsOf("editMessageText").some(isLast), "it would have been seen");

    await first.kill();
    fault.cancel();
    await startBotProcess(api, store, { leaseMilliseconds });
    await api.until(() => chat.lastFromBot?.text === "This is all.", "it is seen");
    api.say(chat, ann, "What have we said?");
    await untilAnswered(api, chat, "What have we said?");

    expect(chat.messages.map(({ text, buttons }) => ({ text, buttons }))).toEqual([
      { text: "Say it all", buttons: [] },
      { text: "This is all.", buttons: [] },
      { text: "What have we said?", buttons: [] },
      { text: "user: Say it all\nassistant: This is all.\nuser: What have we said?", buttons: [] },
    ]);
  });
});

describe("an answer whose process was killed", () => {
  test("can be written again", async () => {
    const { api, ann, chat, store } = await setScene(openFile);
    const first = await startBotProcess(api, store, { leaseMilliseconds });
    api.say(chat, ann, "Begin a story");
    await untilBegun(api, first, chat);

    await first.kill();
    await startBotProcess(api, store, { leaseMilliseconds });
    await api.until(() => chat.lastFromBot?.text.includes("[interrupted]"), "it is marked");
    const { answered } = api.press(chat, ann, "🔄 Regenerate");

    expect((await answered).text).toBe("One moment…");
    await api.until(() => chat.messages.length === 3, "it is written again");
    expect(chat.messages[1]?.buttons).toEqual([]);
    expect(chat.messages[2]?.text).not.toContain("[interrupted]");
  });

  test("has nothing in it that was taken back", async () => {
    const { api, ann, chat, store } = await setScene(openFile);
    const first = await startBotProcess(api, store, { leaseMilliseconds });
    api.say(chat, ann, "Break off");
    await api.until(() => chat.lastFromBot?.text === "Once upon", "the beginning is seen");
    first.goOn();
    await api.until(() => chat.lastFromBot?.text === "There was", "another beginning is seen");

    await first.kill();
    await startBotProcess(api, store, { leaseMilliseconds });
    await api.until(() => chat.lastFromBot?.text.includes("[interrupted]"), "it is marked");

    expect(chat.lastFromBot?.text).toBe("There was\n\n[interrupted]");
  });

  test("says that it was interrupted also where nothing was seen of it", async () => {
    const { api, ann, chat, store } = await setScene(openFile);
    const first = await startBotProcess(api, store, { leaseMilliseconds });
    // It cannot be shown that something will come, so that nothing is seen.
    const fault = api.drop("sendMessage", { times: 1_000 });
    api.say(chat, ann, "Say nothing");
    await api.until(() => fault.used > 0, "the answer has begun");

    await first.kill();
    fault.cancel();
    await startBotProcess(api, store, { leaseMilliseconds });
    await api.until(() => chat.lastFromBot?.text === "[interrupted]", "it is marked");

    expect(chat.lastFromBot?.buttons).toEqual([["🔄 Regenerate"]]);
    expect(chat.messages).toHaveLength(2);
  });

  test("is finished also if the process dies, too, that wants to finish it", async () => {
    const { api, ann, chat, store } = await setScene(openFile);
    const first = await startBotProcess(api, store, { leaseMilliseconds });
    api.say(chat, ann, "Begin a story");
    await untilBegun(api, first, chat);
    await first.kill();

    const fault = api.drop("editMessageText", { times: 1_000 });
    const second = await startBotProcess(api, store, { leaseMilliseconds });
    await api.until(() => fault.used > 0, "it wants to mark it");
    await second.kill();
    fault.cancel();
    await startBotProcess(api, store, { leaseMilliseconds });
    api.say(chat, ann, "What have we said?");
    await untilAnswered(api, chat, "What have we said?");

    expect(chat.lastFromBot?.text.match(/Once upon a time/gu)).toHaveLength(1);
    // The claim of the second process has to run out first.
    await api.until(() => chat.messages[1]?.text.includes("[interrupted]"), "it is marked");
  });
});

test.each(STORES)("a bot with $name that is stopped marks its answers and lets its process end", async ({ open }) => {
  const { api, ann, chat, store } = await setScene(open);
  const ben = api.person({ firstName: "Ben" });
  const bens = api.privateChat(ben);
  const bot = await startBotProcess(api, store);
  api.say(chat, ann, "Begin a story");
  api.say(bens, ben, "Begin a story");
  await untilBegun(api, bot, chat);
  await untilBegun(api, bot, bens);

  expect(await bot.stop()).toBe(0);

  for (const { lastFromBot } of [chat, bens]) {
    expect(lastFromBot?.text).toBe("A tale?\nOnce upon a time\n\n[interrupted]");
    expect(lastFromBot?.buttons).toEqual([["▶ Continue", "🔄 Regenerate"]]);
  }
});

test("a bot that is stopped while Telegram is away ends in time, and what it could not say is said later", async () => {
  const { api, ann, chat, store } = await setScene(openFile);
  const first = await startBotProcess(api, store, { graceMilliseconds: 500 });
  api.say(chat, ann, "Begin a story");
  await untilBegun(api, first, chat);

  const fault = api.drop("editMessageText", { times: 1_000 });
  expect(await first.stop()).toBe(0);
  expect(chat.lastFromBot?.text).not.toContain("[interrupted]");
  fault.cancel();
  await startBotProcess(api, store);
  await api.until(() => chat.lastFromBot?.text.includes("[interrupted]"), "it is marked");

  expect(chat.messages).toHaveLength(2);
});
