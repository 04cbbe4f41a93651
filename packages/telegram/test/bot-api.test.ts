import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { run, sequentialize } from "@grammyjs/runner";
import fc from "fast-check";
import { createGate } from "fullstop/testing";
import { Api, Bot, GrammyError, webhookCallback } from "grammy";
import type { Message, MessageEntity, Update } from "grammy/types";
import { afterEach, describe, expect, test } from "vitest";
import { startBotApi } from "./support/bot-api/index.ts";
import type { BotApi, BotApiOptions } from "./support/bot-api/index.ts";
import { acceptText } from "./support/bot-api/text.ts";
import { renderEntities } from "./support/bot-api/transcript.ts";

const closings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close();
});

async function start(options?: BotApiOptions) {
  const server = await startBotApi(options);
  closings.push(() => server.close());
  const api = new Api(server.token, { apiRoot: server.url });
  const ada = server.person({ firstName: "Ada" });
  const chat = server.privateChat(ada);
  return { server, api, ada, chat };
}

function botOf(server: BotApi): Bot {
  return new Bot(server.token, { client: { apiRoot: server.url } });
}

function startRunner(bot: Bot): void {
  const runner = run(bot);
  closings.push(() => runner.stop());
}

/** How a call is refused, in short. */
async function refusal(call: Promise<unknown>): Promise<string> {
  const outcome = await call.then(
    () => "carried out",
    (error: unknown) => error,
  );
  return outcome instanceof GrammyError ? `${outcome.error_code} ${outcome.description}` : String(outcome);
}

const button = (data: string) => ({ inline_keyboard: [[{ text: "Stop", callback_data: data }]] });
const entity = (type: string, offset: number, length: number, more: object = {}) =>
  ({ type, offset, length, ...more }) as MessageEntity;

describe("what Telegram refuses is refused", () => {
  interface Stage {
    readonly api: Api;
    readonly server: BotApi;
    readonly chatId: number;
    readonly groupId: number;
    readonly topicId: number;
    readonly own: Message;
    readonly theirs: number;
    readonly queryId: string;
  }

  async function setStage(): Promise<Stage> {
    const { server, api, ada, chat } = await start();
    const group = server.group({ title: "Club", isForum: true, admins: [ada] });
    const topicId = group.topic("News").id;
    const theirs = server.say(chat, ada, "Hello").id;
    const own = await api.sendMessage(chat.id, "Hello", {
      entities: [entity("bold", 0, 5)],
      reply_markup: button("a"),
    });
    const { queryId } = server.press(chat, ada, "Stop");
    return { api, server, chatId: chat.id, groupId: group.id, topicId, own, theirs, queryId };
  }

  const send =
    (text: string, entities: MessageEntity[] = []) =>
    (stage: Stage) =>
      stage.api.sendMessage(stage.chatId, text, { entities });
  const press = (text: string) => (stage: Stage) => stage.api.answerCallbackQuery(stage.queryId, { text });
  const buttons = (data: string) => (stage: Stage) =>
    stage.api.sendMessage(stage.chatId, "x", { reply_markup: button(data) });

  const FINE = "carried out";
  const NOT_MODIFIED =
    "400 Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";

  test.each<[string, (stage: Stage) => Promise<unknown>, string]>([
    ["an empty text", send(""), "400 Bad Request: message text is empty"],
    ["white space only", send(" \n\t "), "400 Bad Request: message text is empty"],
    ["invisible characters only", send("\u200B\u200B"), "400 Bad Request: message text is empty"],
    ["4096 characters", send("a".repeat(4096)), FINE],
    ["4097 characters", send("a".repeat(4097)), "400 Bad Request: message is too long"],
    ["4096 characters after trimming", send(`\n${"a".repeat(4096)}\n`), FINE],
    ["4096 emoji, which count as code points", send("😀".repeat(4096)), FINE],
    ["4097 emoji", send("😀".repeat(4097)), "400 Bad Request: message is too long"],
    [
      "an edit of 4097 characters",
      (stage) => stage.api.editMessageText(stage.chatId, stage.own.message_id, "a".repeat(4097)),
      "400 Bad Request: MESSAGE_TOO_LONG",
    ],

    ["an entity over all of the text", send("abc", [entity("bold", 0, 3)]), FINE],
    ["an entity beyond the end", send("abc", [entity("bold", 1, 3)]), "400 Bad Request: ENTITY_BOUNDS_INVALID"],
    ["an entity before the beginning", send("abc", [entity("bold", -1, 2)]), "400 Bad Request: ENTITY_BOUNDS_INVALID"],
    ["an entity without length", send("abc", [entity("bold", 1, 0)]), "400 Bad Request: ENTITY_BOUNDS_INVALID"],
    [
      "an entity that begins inside a surrogate pair",
      send("a😀b", [entity("bold", 2, 2)]),
      "400 Bad Request: entity begins in a middle of a UTF-16 symbol at byte offset 5",
    ],
    [
      "an entity that ends inside a surrogate pair",
      send("a😀b", [entity("bold", 0, 2)]),
      "400 Bad Request: entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 5",
    ],
    [
      "an unknown entity",
      send("abc", [entity("loud", 0, 1)]),
      '400 Bad Request: unsupported message entity type "loud"',
    ],
    [
      "a link without an address",
      send("abc", [entity("text_link", 0, 1)]),
      '400 Bad Request: can\'t parse MessageEntity: text_link needs "url"',
    ],
    ["a link with an address", send("abc", [entity("text_link", 0, 1, { url: "https://example.org" })]), FINE],
    ["bold in italic", send("abc", [entity("italic", 0, 3), entity("bold", 1, 1)]), FINE],
    [
      "entities that overlap",
      send("abcd", [entity("bold", 0, 3), entity("italic", 1, 3)]),
      "400 Bad Request: entities overlap without nesting: bold at 0 and italic at 1",
    ],
    [
      "bold code",
      send("abc", [entity("bold", 0, 3), entity("code", 0, 3)]),
      "400 Bad Request: entities can't be nested: bold at 0 and code at 0",
    ],
    [
      "bold in a code block",
      send("abc", [entity("pre", 0, 3), entity("bold", 1, 1)]),
      "400 Bad Request: entities can't be nested: pre at 0 and bold at 1",
    ],
    ["code in a quote", send("abc", [entity("blockquote", 0, 3), entity("code", 1, 1)]), FINE],
    [
      "a quote in a quote",
      send("abc", [entity("expandable_blockquote", 0, 3), entity("blockquote", 1, 1)]),
      "400 Bad Request: entities can't be nested: expandable_blockquote at 0 and blockquote at 1",
    ],
    ["entities side by side", send("abcd", [entity("code", 0, 2), entity("code", 2, 2)]), FINE],

    ["64 bytes of callback data", buttons("é".repeat(32)), FINE],
    ["65 bytes of callback data", buttons(`${"é".repeat(32)}a`), "400 Bad Request: BUTTON_DATA_INVALID"],
    ["no callback data", buttons(""), "400 Bad Request: BUTTON_DATA_INVALID"],
    [
      "a button that does nothing",
      (stage) =>
        stage.api.sendMessage(stage.chatId, "x", { reply_markup: { inline_keyboard: [[{ text: "x" } as never]] } }),
      "400 Bad Request: can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
    ],

    ["a chat that is not there", (stage) => stage.api.sendMessage(12, "x"), "400 Bad Request: chat not found"],
    [
      "a parameter that is not there",
      (stage) => stage.api.sendMessage(stage.chatId, "x", { parse_mode: "HTML" }),
      '400 Bad Request: sendMessage has no parameter "parse_mode" here; it has chat_id, message_thread_id, text, entities, link_preview_options, disable_notification, protect_content, reply_parameters, reply_markup',
    ],
    [
      "a reply to nothing",
      (stage) => stage.api.sendMessage(stage.chatId, "x", { reply_parameters: { message_id: 99 } }),
      "400 Bad Request: message to be replied not found",
    ],
    [
      "a reply to nothing that may be none",
      (stage) =>
        stage.api.sendMessage(stage.chatId, "x", {
          reply_parameters: { message_id: 99, allow_sending_without_reply: true },
        }),
      FINE,
    ],
    [
      "a topic of the forum",
      (stage) => stage.api.sendMessage(stage.groupId, "x", { message_thread_id: stage.topicId }),
      FINE,
    ],
    [
      "a topic that is not there",
      (stage) => stage.api.sendMessage(stage.groupId, "x", { message_thread_id: 99 }),
      "400 Bad Request: message thread not found",
    ],
    [
      "a topic in a chat without topics",
      (stage) => stage.api.sendMessage(stage.chatId, "x", { message_thread_id: 1 }),
      "400 Bad Request: message thread not found",
    ],

    [
      "an edit that changes nothing",
      (stage) =>
        stage.api.editMessageText(stage.chatId, stage.own.message_id, " Hello ", {
          entities: [entity("bold", 1, 5)],
          reply_markup: button("a"),
        }),
      NOT_MODIFIED,
    ],
    [
      "an edit that takes the buttons away",
      (stage) =>
        stage.api.editMessageText(stage.chatId, stage.own.message_id, "Hello", { entities: [entity("bold", 0, 5)] }),
      FINE,
    ],
    [
      "an edit of the entities",
      (stage) => stage.api.editMessageText(stage.chatId, stage.own.message_id, "Hello", { reply_markup: button("a") }),
      FINE,
    ],
    [
      "buttons that are there already",
      (stage) => stage.api.editMessageReplyMarkup(stage.chatId, stage.own.message_id, { reply_markup: button("a") }),
      NOT_MODIFIED,
    ],
    [
      "an edit of what is not there",
      (stage) => stage.api.editMessageText(stage.chatId, 99, "x"),
      "400 Bad Request: message to edit not found",
    ],
    [
      "an edit of somebody else's message",
      (stage) => stage.api.editMessageText(stage.chatId, stage.theirs, "x"),
      "400 Bad Request: message can't be edited",
    ],
    [
      "deleting what is not there",
      (stage) => stage.api.deleteMessage(stage.chatId, 99),
      "400 Bad Request: message to delete not found",
    ],

    ["a toast of 200 characters", press("a".repeat(200)), FINE],
    ["a toast of 201 characters", press("a".repeat(201)), "400 Bad Request: MESSAGE_TOO_LONG"],
    [
      "an answer to an unknown press",
      (stage) => stage.api.answerCallbackQuery("1"),
      "400 Bad Request: query is too old and response timeout expired or query ID is invalid",
    ],
    [
      "a second answer to a press",
      async (stage) => {
        await stage.api.answerCallbackQuery(stage.queryId);
        await stage.api.answerCallbackQuery(stage.queryId);
      },
      "400 Bad Request: query is too old and response timeout expired or query ID is invalid",
    ],

    [
      "a draft in a group",
      (stage) => stage.api.sendMessageDraft(stage.groupId, 1, "x"),
      "400 Bad Request: TEXTDRAFT_PEER_INVALID",
    ],
    [
      "a draft without an id",
      (stage) => stage.api.sendMessageDraft(stage.chatId, 0, "x"),
      "400 Bad Request: RANDOM_ID_INVALID",
    ],
    ["an empty draft", (stage) => stage.api.sendMessageDraft(stage.chatId, 1, ""), FINE],
    [
      "a draft with buttons",
      (stage) => stage.api.sendMessageDraft(stage.chatId, 1, "x", { reply_markup: button("a") } as object),
      '400 Bad Request: sendMessageDraft has no parameter "reply_markup" here; it has chat_id, message_thread_id, draft_id, text, entities, can_stop, keep_on_stop',
    ],
    [
      "an unknown chat action",
      (stage) => stage.api.sendChatAction(stage.chatId, "singing" as "typing"),
      "400 Bad Request: wrong parameter action in request",
    ],
    [
      "administrators of a private chat",
      (stage) => stage.api.getChatAdministrators(stage.chatId),
      "400 Bad Request: there are no administrators in the private chat",
    ],
    [
      "a command with capital letters",
      (stage) => stage.api.setMyCommands([{ command: "Stop", description: "Stops" }]),
      "400 Bad Request: BOT_COMMAND_INVALID",
    ],
    [
      "a webhook with a strange secret",
      (stage) => stage.api.setWebhook("https://example.org", { secret_token: "a b" }),
      "400 Bad Request: secret token contains unallowed characters",
    ],
    [
      "a webhook without HTTPS",
      (stage) => stage.api.setWebhook("http://example.org"),
      "400 Bad Request: bad webhook: An HTTPS URL must be provided for webhook",
    ],
  ])("%s", async (_name, call, outcome) => {
    expect(await refusal(call(await setStage()))).toBe(outcome);
  });

  test("a bot that was blocked cannot write, edit, draft or show that it types", async () => {
    const { server, api, ada, chat } = await start();
    const { message_id } = await api.sendMessage(chat.id, "Hello");
    server.block(ada);
    const outcomes = [
      await refusal(api.sendMessage(chat.id, "x")),
      await refusal(api.editMessageText(chat.id, message_id, "x")),
      await refusal(api.sendMessageDraft(chat.id, 1, "x")),
      await refusal(api.sendChatAction(chat.id, "typing")),
    ];
    expect(new Set(outcomes)).toEqual(new Set(["403 Forbidden: bot was blocked by the user"]));
    server.unblock(ada);
    expect(await refusal(api.sendMessage(chat.id, "x"))).toBe("carried out");
    expect(server.updates.map((update) => update.my_chat_member?.new_chat_member.status)).toEqual(["kicked", "member"]);
  });

  test("a thread of replies in a group without topics is not a topic", async () => {
    const { server, api, ada } = await start({ bot: { can_read_all_group_messages: true } });
    const group = server.group({ title: "Club", admins: [ada] });
    const first = server.say(group, ada, "One");
    server.say(group, ada, "Two", { replyTo: first });
    const thread = server.updates.at(-1)?.message?.message_thread_id;
    expect(thread).toBe(first.id);
    expect(await refusal(api.sendMessage(group.id, "x", { message_thread_id: first.id }))).toBe(
      "400 Bad Request: message thread not found",
    );
  });
});

describe("text", () => {
  test("is trimmed, and its entities with it", async () => {
    const { api, chat } = await start();
    await api.sendMessage(chat.id, " \n Hello you \n", { entities: [entity("bold", 9, 5)] });
    expect(chat.messages).toMatchObject([{ text: "Hello you", entities: [{ type: "bold", offset: 6, length: 3 }] }]);
  });

  test("keeps its entities on the same characters, however much white space is around it", () => {
    const space = fc.stringMatching(/^[ \n]{0,4}$/);
    const word = fc.stringMatching(/^[a-z😀]{1,6}$/u);
    fc.assert(
      fc.property(space, word, word, word, space, (before, one, two, three, after) => {
        const raw = `${before}${one} ${two} ${three}${after}`;
        const at = before.length + one.length + 1;
        const { text, entities } = acceptText(raw, [{ type: "bold", offset: at, length: two.length }]);
        expect(text).toBe(raw.trim());
        expect(renderEntities(text, entities)).toBe(`${one} **${two}** ${three}`);
      }),
    );
  });

  test("has its commands and mentions found by the server, but not in code", async () => {
    const { server, api, ada, chat } = await start();
    server.say(chat, ada, "/stop@fullstop_bot now, @ada, not a/b or me@example.org");
    await api.sendMessage(chat.id, "/stop or /start", { entities: [entity("code", 0, 5)] });
    expect(chat.messages.map(({ entities }) => entities)).toEqual([
      [entity("bot_command", 0, 18), entity("mention", 24, 4)],
      [entity("code", 0, 5), entity("bot_command", 9, 6)],
    ]);
  });
});

describe("over HTTP", () => {
  const ask = async (url: string, init?: RequestInit): Promise<unknown> => (await fetch(url, init)).json();

  test("a wrong token, an unknown method and a strange address are refused", async () => {
    const { server } = await start();
    expect(await ask(`${server.url}/bot1:wrong/getMe`)).toEqual({
      ok: false,
      error_code: 401,
      description: "Unauthorized",
    });
    for (const path of [`/bot${server.token}/singSong`, "/", "/getMe"]) {
      expect(await ask(server.url + path)).toEqual({ ok: false, error_code: 404, description: "Not Found" });
    }
  });

  test("parameters come as JSON, as a form, in parts or in the address, and the case of a method does not matter", async () => {
    const { server, chat } = await start();
    const url = `${server.url}/bot${server.token}/SENDMESSAGE`;
    const fields = { chat_id: String(chat.id), text: "x", entities: JSON.stringify([entity("bold", 0, 1)]) };
    const parts = new FormData();
    for (const [name, value] of Object.entries(fields)) parts.set(name, value);
    const json = JSON.stringify({ chat_id: chat.id, text: "x", entities: [entity("bold", 0, 1)] });
    const answers = [
      await ask(url, { method: "POST", headers: { "content-type": "application/json" }, body: json }),
      await ask(url, { method: "POST", body: new URLSearchParams(fields) }),
      await ask(url, { method: "POST", body: parts }),
      await ask(`${url}?${new URLSearchParams(fields).toString()}`),
    ];
    expect(answers).toMatchObject(answers.map(() => ({ ok: true })));
    expect(chat.transcript()).toBe(`# Ada and Fullstop\n${"\nFullstop:\n  **x**\n".repeat(4)}`);
    expect(server.callsOf("sendMessage")).toHaveLength(4);
  });

  test("a call can be refused, held up or cut off because a test says so, in one chat or in all", async () => {
    const { server, api, chat } = await start();
    const other = server.privateChat(server.person({ firstName: "Bob" }));
    const gate = createGate();
    server.refuse("sendMessage", { code: 500, description: "Internal Server Error" }, { chat });
    expect(await refusal(api.sendMessage(other.id, "x"))).toBe("carried out");
    expect(await refusal(api.sendMessage(chat.id, "x"))).toBe("500 Internal Server Error");

    server.delay("sendMessage", gate);
    const held = api.sendMessage(chat.id, "held");
    await gate.reached;
    expect(chat.messages).toEqual([]);
    gate.open();
    await held;
    expect(chat.messages).toMatchObject([{ text: "held" }]);

    server.drop("sendMessage", { times: 2 });
    expect(await refusal(api.sendMessage(chat.id, "lost"))).toMatch(/^HttpError/);
    expect(await refusal(api.sendMessage(chat.id, "lost"))).toMatch(/^HttpError/);
    server.drop("sendMessage", { when: "after" });
    expect(await refusal(api.sendMessage(chat.id, "answer lost"))).toMatch(/^HttpError/);
    expect(chat.messages).toMatchObject([{ text: "held" }, { text: "answer lost" }]);
    expect(server.calls.map(({ answer }) => (typeof answer === "object" ? answer.ok : answer))).toEqual([
      true,
      false,
      true,
      "dropped",
      "dropped",
      "dropped",
    ]);
  });
});

describe("flood control", () => {
  test("counts messages, edits and drafts of a chat together, for all of its topics", async () => {
    let time = 0;
    const { server, api, ada, chat } = await start({
      now: () => time,
      flood: { private: { intervalMs: 1000 }, group: { window: { count: 2, ms: 60_000 } } },
    });
    const { message_id } = await api.sendMessage(chat.id, "One");
    time = 400;
    const early = await api.editMessageText(chat.id, message_id, "Two").catch((error: unknown) => error);
    expect(early).toMatchObject({
      error_code: 429,
      description: "Too Many Requests: retry after 1",
      parameters: { retry_after: 1 },
    });
    // Once refused, a chat stays closed for as long as was said, though the interval alone would be over.
    time = 1100;
    expect(await refusal(api.sendMessageDraft(chat.id, 1, "x"))).toBe("429 Too Many Requests: retry after 1");
    time = 1400;
    expect(await refusal(api.editMessageText(chat.id, message_id, "Two"))).toBe("carried out");

    const group = server.group({ title: "Club", isForum: true, admins: [ada] });
    const topics = [group.topic("One"), group.topic("Two"), group.topic("Three")];
    const outcomes = await Promise.all(
      topics.map((topic) => refusal(api.sendMessage(group.id, "x", { message_thread_id: topic.id }))),
    );
    expect(outcomes.toSorted()).toEqual(["429 Too Many Requests: retry after 60", "carried out", "carried out"]);
    expect(await refusal(api.sendChatAction(group.id, "typing"))).toBe("carried out");
    expect(chat.counts).toEqual({ sent: 1, edited: 1, deleted: 0, drafts: 0, tooEarly: 2 });
    expect(group.counts).toMatchObject({ sent: 2, tooEarly: 1 });
  });
});

describe("updates by polling", () => {
  test("come in order, are repeated until they are confirmed, and no more of them than asked for", async () => {
    const { server, api, ada, chat } = await start();
    for (const text of ["One", "Two", "Three"]) server.say(chat, ada, text);
    const texts = (updates: readonly Update[]): unknown => updates.map(({ message }) => message?.text);
    expect(texts(await api.getUpdates({ limit: 2 }))).toEqual(["One", "Two"]);
    const all = await api.getUpdates();
    expect(texts(all)).toEqual(["One", "Two", "Three"]);
    const last = all.at(-1)?.update_id ?? 0;
    expect(texts(await api.getUpdates({ offset: last }))).toEqual(["Three"]);
    expect(texts(await api.getUpdates({ offset: last + 1 }))).toEqual([]);
    expect(server.pendingUpdates).toBe(0);
    server.deliverAgain(all[0]!);
    expect(await api.getUpdates({ offset: last + 1 })).toEqual([all[0]]);
  });

  test("are waited for", async () => {
    const { server, api, ada, chat } = await start();
    const waiting = api.getUpdates({ timeout: 50 });
    await server.until(() => server.callsOf("getUpdates").length === 1, "the bot polls");
    server.say(chat, ada, "Hello");
    expect(await waiting).toMatchObject([{ message: { text: "Hello", from: { first_name: "Ada" } } }]);
  });

  test("are of the kinds that were asked for, until others are", async () => {
    const { server, api, ada, chat } = await start();
    const first = server.say(chat, ada, "Hello");
    await api.getUpdates({ allowed_updates: ["edited_message"] });
    server.say(chat, ada, "Unheard");
    server.say(chat, ada, "Hello you", { editOf: first });
    await api.getUpdates({ offset: 1001, allowed_updates: [] });
    server.say(chat, ada, "Heard");
    const kinds = server.updates.map((update) => Object.keys(update)[1]);
    expect(kinds).toEqual(["message", "edited_message", "message"]);
  });

  test("go to the last who asks; whoever asked before is told of the conflict", async () => {
    const { server, api } = await start();
    const first = refusal(api.getUpdates({ timeout: 50 }));
    await server.until(() => server.callsOf("getUpdates").length === 1, "the first bot polls");
    const second = refusal(api.getUpdates({ timeout: 50 }));
    expect(await first).toBe(
      "409 Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    );
    await api.setWebhook("https://example.org");
    expect(await second).toBe("409 Conflict: terminated by setWebhook request");
    expect(await refusal(api.getUpdates())).toBe(
      "409 Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
    await api.deleteWebhook();
    expect(await refusal(api.getUpdates())).toBe("carried out");
  });

  test.each([
    { name: "the runner", order: undefined, seen: "during" },
    { name: "the runner, one chat after the other", order: "chat", seen: "after" },
  ])("reach handlers of $name, $seen the one before", async ({ order, seen }) => {
    const { server, ada, chat } = await start();
    const gate = createGate();
    const bot = botOf(server);
    if (order === "chat") bot.use(sequentialize((context) => String(context.chat?.id)));
    bot.hears("slow", async (context) => {
      await gate.pass();
      await context.reply("slow is done");
    });
    bot.command("stop", (context) => context.reply("stopped"));
    startRunner(bot);
    server.say(chat, ada, "slow");
    server.say(chat, ada, "/stop");
    await gate.reached;
    if (seen === "during") await server.until(() => chat.lastFromBot?.text === "stopped", "the bot has stopped");
    gate.open();
    await server.until(() => chat.messages.length === 4, "both are answered");
    const answers = chat.messages.filter(({ isFromBot }) => isFromBot).map(({ text }) => text);
    expect(answers).toEqual(seen === "during" ? ["stopped", "slow is done"] : ["slow is done", "stopped"]);
  });
});

describe("updates by webhook", () => {
  interface Post {
    readonly update: Update;
    readonly secret: string | undefined;
    answer(status: number): void;
  }

  /** A webhook that keeps its posts until the test answers them. */
  async function openHook(): Promise<{ readonly url: string; next(): Promise<Post>; readonly waiting: () => number }> {
    const posts: Post[] = [];
    const waiters: ((post: Post) => void)[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8");
      request.on("data", (chunk: string) => (body += chunk));
      request.on("end", () => {
        const post: Post = {
          update: JSON.parse(body) as Update,
          secret: request.headers["x-telegram-bot-api-secret-token"] as string | undefined,
          answer: (status) => response.writeHead(status).end(),
        };
        const waiter = waiters.shift();
        if (waiter === undefined) posts.push(post);
        else waiter(post);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closings.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      next: () => {
        const post = posts.shift();
        return post === undefined ? new Promise((resolve) => waiters.push(resolve)) : Promise.resolve(post);
      },
      waiting: () => posts.length,
    };
  }

  test("are posted with the secret, again until they are taken, and then no more", async () => {
    const { server, api, ada, chat } = await start({ webhook: { retryMs: 1 } });
    const hook = await openHook();
    server.say(chat, ada, "Before");
    await api.setWebhook(hook.url, { secret_token: "s3cret" });
    const first = await hook.next();
    expect(first).toMatchObject({ update: { message: { text: "Before" } }, secret: "s3cret" });
    first.answer(500);
    const second = await hook.next();
    expect(second.update).toEqual(first.update);
    expect(await api.getWebhookInfo()).toMatchObject({
      url: hook.url,
      pending_update_count: 1,
      last_error_message: "Wrong response from the webhook: 500 Internal Server Error",
    });
    second.answer(200);
    server.say(chat, ada, "After");
    const third = await hook.next();
    expect(third.update).toMatchObject({ message: { text: "After" } });
    third.answer(204);
  });

  test("are posted again when there is no answer in time", async () => {
    const { server, api, ada, chat } = await start({ webhook: { retryMs: 1, timeoutMs: 50 } });
    const hook = await openHook();
    await api.setWebhook(hook.url);
    server.say(chat, ada, "Hello");
    const first = await hook.next();
    const second = await hook.next();
    expect(second.update).toEqual(first.update);
    second.answer(200);
  });

  test.each([
    { name: "a message waits for the one before in its chat, a press does not", order: "by-lane", connections: 40 },
    { name: "nothing waits where that is switched off", order: "none", connections: 40 },
    { name: "everything waits where there is one connection", order: "none", connections: 1 },
  ] as const)("$name", async ({ order, connections }) => {
    const { server, api, ada, chat } = await start({ webhook: { order } });
    const other = server.privateChat(server.person({ firstName: "Bob" }));
    const hook = await openHook();
    await api.sendMessage(chat.id, "x", { reply_markup: button("a") });
    await api.setWebhook(hook.url, { max_connections: connections });
    server.say(chat, ada, "One");
    server.say(chat, ada, "Two");
    server.press(chat, ada, "Stop");
    server.say(other, ada, "Three");
    const expected =
      connections === 1 ? ["One"] : order === "none" ? ["One", "Two", "a", "Three"] : ["One", "a", "Three"];
    const posts = await Promise.all(expected.map(() => hook.next()));
    const contents = posts.map(({ update }) => update.message?.text ?? update.callback_query?.data ?? "");
    expect(contents.toSorted()).toEqual(expected.toSorted());
    // Whatever was posted too early is here by the time of another answer.
    await api.getWebhookInfo();
    expect(hook.waiting()).toBe(0);
    for (const post of posts) post.answer(200);
    // What waited comes now, in order.
    for (const rest of ["One", "Two", "a", "Three"].filter((content) => !expected.includes(content))) {
      const post = await hook.next();
      expect(post.update.message?.text ?? post.update.callback_query?.data).toBe(rest);
      post.answer(200);
    }
  });

  test("reach a bot of grammY", async () => {
    const { server, api, ada, chat } = await start();
    const bot = botOf(server);
    bot.on("message", (context) => context.reply("Hello"));
    const handle = webhookCallback(bot, "http", { secretToken: "s3cret" });
    const listener = createServer((request, response) => void handle(request, response));
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    closings.push(async () => {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    });
    await api.setWebhook(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/`, { secret_token: "s3cret" });
    server.say(chat, ada, "Hi");
    expect(await server.until(() => chat.lastFromBot, "the bot has answered")).toMatchObject({ text: "Hello" });
  });
});

describe("people", () => {
  test.each([
    ["what people say to each other", "Hello all", false],
    ["a command", "/stop", true],
    ["a command for this bot", "/stop@fullstop_bot", true],
    ["a command for another bot", "/stop@other_bot", false],
    ["a mention", "What do you think, @Fullstop_Bot?", true],
    ["a mention of somebody else", "What do you think, @ada_l?", false],
  ])("in a group, %s: %s; heard: %s", async (_name, text, isHeard) => {
    const { server, ada } = await start();
    const group = server.group({ title: "Club", admins: [ada] });
    server.say(group, ada, text);
    expect(server.updates).toHaveLength(isHeard ? 1 : 0);
    expect(group.messages).toMatchObject([{ from: "Ada", text }]);
  });

  test("are heard in a group when they answer the bot, when it is an administrator, and without privacy mode", async () => {
    const { server, api, ada } = await start();
    const group = server.group({ title: "Club", admins: [ada] });
    const { message_id } = await api.sendMessage(group.id, "Hello");
    server.say(group, ada, "Hello to you", { replyTo: { id: message_id } });
    server.say(server.group({ title: "Court", admins: [ada], isBotAdmin: true }), ada, "Order!");
    expect(server.updates).toMatchObject([
      { message: { reply_to_message: { message_id, from: { is_bot: true } } } },
      { message: { text: "Order!" } },
    ]);
    const open = await start({ bot: { can_read_all_group_messages: true } });
    open.server.say(open.server.group({ title: "Club" }), open.ada, "Anything");
    expect(open.server.updates).toHaveLength(1);
  });

  test("press buttons that are there, and get an answer", async () => {
    const { server, api, ada, chat } = await start();
    const { message_id } = await api.sendMessage(chat.id, "x", { reply_markup: button("a") });
    expect(() => server.press(chat, ada, "Go")).toThrow('There is no button Go to press, only ["Stop"]');
    const press = server.press(chat, ada, /^Sto/);
    expect(server.updates.at(-1)).toMatchObject({
      callback_query: { id: press.queryId, from: { id: ada.id }, data: "a", message: { message_id } },
    });
    await api.answerCallbackQuery(press.queryId, { text: "Stopping…", show_alert: true });
    expect(await press.answered).toEqual({ to: ada, text: "Stopping…", isAlert: true });
    expect(server.toasts).toEqual([await press.answered]);
  });

  test("can press what is gone, and send data that is on no button", async () => {
    const { server, api, ada, chat } = await start();
    const sent = await api.sendMessage(chat.id, "x", { reply_markup: button("a") });
    const message = { id: sent.message_id };
    server.pressData(chat, ada, "forged");
    server.pressData(chat, ada, "forged", "none");
    await api.deleteMessage(chat.id, message.id);
    server.pressData(chat, ada, "forged", message);
    expect(server.updates.map((update) => update.callback_query?.message)).toMatchObject([
      { message_id: message.id, text: "x" },
      undefined,
      { message_id: message.id, date: 0, chat: { id: chat.id } },
    ]);
  });

  test("stop a draft that can be stopped", async () => {
    const { server, api, chat } = await start();
    expect(() => server.stopDraft(chat)).toThrow("There is no draft to stop");
    await api.sendMessageDraft(chat.id, 7, "Once");
    expect(() => server.stopDraft(chat)).toThrow('The draft "Once" has no stop button');
    await api.sendMessageDraft(chat.id, 7, "Once upon", { can_stop: true });
    expect(chat.draft()).toMatchObject({ id: 7, text: "Once upon", canStop: true });
    server.stopDraft(chat);
    expect(chat.draft()).toBeUndefined();
    expect(server.updates).toMatchObject([{ stopped_message_generation: { chat: { id: chat.id }, draft_id: 7 } }]);
    await api.sendMessageDraft(chat.id, 8, "Kept", { can_stop: true, keep_on_stop: true });
    server.stopDraft(chat);
    expect(chat.draft()).toMatchObject({ text: "Kept", canStop: false, isStopped: true });
  });

  test("see a draft until the bot writes in the same place, or for half a minute", async () => {
    let time = 0;
    const { server, api, ada, chat } = await start({ now: () => time });
    const bob = server.person({ firstName: "Bob" });
    const topical = server.privateChat(bob, { hasTopics: true });
    const topic = topical.topic("News");
    await api.sendMessageDraft(topical.id, 1, "in the topic", { message_thread_id: topic.id });
    await api.sendMessageDraft(topical.id, 2, "outside");
    server.say(topical, bob, "Hello");
    await api.sendMessage(topical.id, "Done", { message_thread_id: topic.id });
    expect([topical.draft(topic), topical.draft()?.text]).toEqual([undefined, "outside"]);
    await api.sendMessageDraft(chat.id, 3, "Wait");
    time = 29_999;
    expect(chat.draft()?.text).toBe("Wait");
    time = 30_000;
    expect(chat.draft()).toBeUndefined();
    expect(server.say(chat, ada, "Hello").id).toBe(1);
  });

  test("are members of groups, and administrators for as long as they are", async () => {
    const { server, api, ada } = await start();
    const [bob, eve] = [server.person({ firstName: "Bob" }), server.person({ firstName: "Eve" })];
    const group = server.group({ title: "Club", admins: [ada, bob] });
    const statusOf = async (id: number) => (await api.getChatMember(group.id, id)).status;
    expect([await statusOf(ada.id), await statusOf(bob.id), await statusOf(eve.id)]).toEqual([
      "creator",
      "administrator",
      "left",
    ]);
    server.say(group, eve, "Hello");
    server.setAdmin(group, bob, false);
    expect([await statusOf(bob.id), await statusOf(eve.id)]).toEqual(["member", "member"]);
    const admins = await api.getChatAdministrators(group.id);
    expect(admins.map(({ user }) => user.first_name)).toEqual(["Ada"]);
    expect(await api.getChat(group.id)).toMatchObject({ type: "supergroup", title: "Club" });
    expect(await refusal(api.getChatMember(group.id, 5))).toBe("400 Bad Request: PARTICIPANT_ID_INVALID");
  });

  test("delete messages, and bots only those that they may", async () => {
    const { server, api, ada, chat } = await start();
    const group = server.group({ title: "Club", admins: [ada] });
    const theirs = server.say(group, ada, "/hello");
    expect(await refusal(api.deleteMessage(group.id, theirs.id))).toBe("400 Bad Request: message can't be deleted");
    const own = await api.sendMessage(group.id, "Hello");
    server.deleteMessage(group, { id: own.message_id });
    expect(await refusal(api.editMessageText(group.id, own.message_id, "x"))).toBe(
      "400 Bad Request: message to edit not found",
    );
    const incoming = server.say(chat, ada, "Hello");
    await api.deleteMessages(chat.id, [incoming.id, 99]);
    expect(chat.messages).toEqual([]);
  });

  test("find messages of a topic in their topic", async () => {
    const { server, api, ada } = await start({ bot: { can_read_all_group_messages: true } });
    const group = server.group({ title: "Club", isForum: true, admins: [ada] });
    const topic = group.topic("News");
    server.say(group, ada, "Hello", { topic });
    // A message that answers no other is written as an answer to the one that opened the topic.
    expect(server.updates.at(-1)?.message).toMatchObject({
      message_thread_id: topic.id,
      is_topic_message: true,
      reply_to_message: { message_id: topic.id, forum_topic_created: { name: "News" } },
    });
    await api.sendMessage(group.id, "Hello", { message_thread_id: topic.id });
    await api.sendMessage(group.id, "Hello");
    expect(group.messages.map((message) => message.topic)).toEqual(["News", "News", undefined]);
  });
});

describe("the screen", () => {
  test("is written down as people see it", async () => {
    const { server, api, ada, chat } = await start();
    server.say(chat, ada, "Tell me a story");
    const { message_id } = await api.sendMessage(chat.id, "…", {
      reply_parameters: { message_id: 1 },
      reply_markup: button("a"),
    });
    const press = server.press(chat, ada, "Stop");
    await api.answerCallbackQuery(press.queryId, { text: "Stopping…" });
    await api.editMessageText(chat.id, message_id, "Thinking hard\nOnce upon a time\nlet x = 1;\nread on", {
      entities: [
        entity("expandable_blockquote", 0, 13),
        entity("italic", 19, 4),
        entity("bold", 14, 9),
        entity("pre", 31, 10, { language: "js" }),
        entity("text_link", 42, 4, { url: "https://example.org" }),
      ],
      reply_markup: {
        inline_keyboard: [
          [
            { text: "Continue", callback_data: "c" },
            { text: "Again", callback_data: "r" },
          ],
        ],
      },
    });
    const gone = await api.sendMessage(chat.id, "Wait");
    await api.deleteMessage(chat.id, gone.message_id);
    await api.sendMessageDraft(chat.id, 1, "And then", { can_stop: true });
    expect(chat.transcript()).toBe(`# Ada and Fullstop

Ada:
  Tell me a story

Fullstop, in reply to "Tell me a story":
  > (collapsed)
  > Thinking hard
  **Once _upon_** a time
  \`\`\`js
  let x = 1;
  \`\`\`
  [read](https://example.org) on
  [Continue] [Again]

* Ada presses [Stop] -> "Stopping…"

Fullstop is writing:
  And then
  [stop]
`);
    const history = chat.transcript({ history: true });
    expect(history).toContain('Fullstop, in reply to "Tell me a story":\n  …\n  [Stop]\n  (edited)\n  > (collapsed)');
    expect(history).toContain("Fullstop:\n  Wait\n  (deleted)");
    expect(chat.messages.at(-1)).toMatchObject({ edits: 1, replyTo: 1, buttons: [["Continue", "Again"]] });
  });

  test("shows topics by name", async () => {
    const { server, api, ada } = await start();
    const group = server.group({ title: "Club", isForum: true, admins: [ada] });
    const topic = group.topic("News");
    server.say(group, ada, "Hello");
    await api.sendMessage(group.id, "Good morning", { message_thread_id: topic.id });
    expect(group.transcript()).toBe('# Club\n\nAda in General:\n  Hello\n\nFullstop in "News":\n  Good morning\n');
    expect(group.transcript({ topic })).toBe('# Club\n\nFullstop in "News":\n  Good morning\n');
  });

  test("is waited for, and shown to whoever waited in vain", async () => {
    const { server, api, chat } = await start();
    const seen = server.until(() => chat.lastFromBot, "the bot says something");
    await api.sendMessage(chat.id, "Hello");
    expect(await seen).toMatchObject({ text: "Hello" });
    await expect(server.until(() => false, "pigs fly", 1)).rejects.toThrow(
      /^Waited 1 ms in vain until pigs fly\.\n\n# Ada and Fullstop\n\nFullstop:\n {2}Hello\n\nThe last calls:\nsendMessage .*-> ok$/,
    );
    await expect(
      server.until(() => {
        throw new Error("a wrong question");
      }, "it is asked"),
    ).rejects.toThrow("a wrong question");
  });

  test("shows what the bot does", async () => {
    const { server, api, chat } = await start();
    await api.sendChatAction(chat.id, "typing");
    await api.setMyCommands([{ command: "stop", description: "Stops" }], { language_code: "en" });
    expect(chat.actions).toEqual([{ action: "typing", topic: undefined }]);
    expect(server.commands).toMatchObject([{ languageCode: "en", commands: [{ command: "stop" }] }]);
  });
});
