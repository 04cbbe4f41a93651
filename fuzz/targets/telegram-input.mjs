// @ts-check
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { createMemoryStore } from "fullstop/control";
import { EMPTY_CONVERSATION, forgetBefore, messagesOf } from "../../packages/telegram/dist/answers/conversation.js";
import { Conversations } from "../../packages/telegram/dist/answers/conversations.js";
import { UnfinishedAnswers } from "../../packages/telegram/dist/answers/unfinished.js";
import { Admission } from "../../packages/telegram/dist/updates/admission.js";
import { routeUpdates } from "../../packages/telegram/dist/updates/route-updates.js";
import { SeenUpdates } from "../../packages/telegram/dist/updates/seen-updates.js";
import { Tasks } from "../../packages/telegram/dist/updates/tasks.js";
import { createWebhookHandler } from "../../packages/telegram/dist/updates/webhook.js";
import { defineWords } from "../../packages/telegram/dist/words/languages.js";
import { hold, holdSame, jsonOf, toText } from "../oracle.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */
/** @typedef {import("fullstop/control").DocumentStore} DocumentStore */
/** @typedef {import("../../packages/telegram/dist/answers/conversation.js").Conversation} Conversation */

/**
 * @typedef {object} Library
 * @property {new (token: string, options: object) => Parameters<typeof createWebhookHandler>[0]} Bot
 * @property {new (token: string, options: object) => unknown} Api
 */

/** The library of the bot, as the bot has it. */
const { Api, Bot } = /** @type {Library} */ (
  createRequire(new URL("../../packages/telegram/package.json", import.meta.url))("grammy")
);

const PLACE = /** @type {const} */ ({ chat: 5, chatType: "private", user: 5, topic: undefined });
const MESSAGES =
  '[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"b"}]}]';

/**
 * A store in which every document has one value, and that remembers what is written into it.
 *
 * @param {string} value
 */
function storeOf(value) {
  /** @type {string[]} */
  const written = [];
  const store = {
    readDocument: async () => ({ value, version: "1" }),
    writeDocument: async (/** @type {string} */ _folder, /** @type {string} */ _name, /** @type {string} */ text) => {
      written.push(text);
      return { value: text, version: "2" };
    },
    documentNames: async () => value.split("\n"),
  };
  return { written, store: /** @type {DocumentStore} */ (/** @type {unknown} */ (store)) };
}

/** @type {Target} */
const stored = {
  name: "telegram-stored",
  files: /telegram\/dist\/answers\/(?:conversations?|stored-conversation|unfinished|stored-message)\.js$/u,
  seeds: [
    `{"exchanges":[{"id":"x","questionId":3,"asked":${MESSAGES},"said":[],"isContinuation":true,"isRecovered":true},{"id":"y","questionId":5,"asked":[],"said":${MESSAGES}}],"earlier":["w"],"forgottenBefore":2}`,
    `{"messages":${MESSAGES},"lastAnswer":{"id":"x","from":1},"earlier":["w"]}`,
    `{"messages":${MESSAGES.replace("]}]", `]},${MESSAGES.slice(1)}`)}}`,
    `{"id":"x","place":{"chat":5,"chatType":"private","user":5},"startedAt":1,"asked":${MESSAGES},"messageIds":[1],"questionId":2,"isKept":false}`,
    `{"messages":[],"lastAnswer":{"id":"x","from":-1}}`,
    "5_5.x\n5_5_7.y",
  ],
  words:
    "exchanges|questionId|said|forgottenBefore|messages|lastAnswer|earlier|id|from|isContinuation|role|content|user|assistant|tool|system|place|chat|topic|asked|messageIds".split(
      "|",
    ),
  async run(input) {
    const text = toText(input);
    const { store, written } = storeOf(text);
    /** @type {unknown[]} */
    const damages = [];
    const settings = { maxMessages: 4, maxCharacters: 400, keepMilliseconds: 1000 };
    const conversations = new Conversations(store, 1, settings, (error) => void damages.push(error));
    const found = await conversations.read(PLACE);
    holdSame(await conversations.read(PLACE), found, "it is read the same again");
    const isDamaged = damages.length > 0;
    const value = /** @type {Conversation | { messages: unknown[] }} */ (isDamaged ? EMPTY_CONVERSATION : jsonOf(text));
    if (isDamaged) holdSame(found, EMPTY_CONVERSATION, "what is damaged begins anew");
    else if ("exchanges" in value) holdSame(messagesOf(found), messagesOf(value), "messages are as they were written");
    else holdSame(messagesOf(found), value.messages, "messages of an older version are as they were written");
    await conversations.forget(PLACE, 0);
    checkChanged(forgetBefore(found, 0), written.at(-1) ?? "");
    const unfinished = new UnfinishedAnswers(store, 1, 1000);
    const entries = await unfinished.list();
    holdSame(entries.length, text.split("\n").length, "every name is an entry");
    const answer = await unfinished.read({ id: "x", placeName: "5_5" });
    hold(answer !== undefined, "what is there is something");
    if (answer !== "damaged") {
      await unfinished.put(answer, "any");
      holdSame(jsonOf(written.at(-1) ?? ""), jsonOf(JSON.stringify(answer)), "an answer is written as it was read");
    }
    return `${
      isDamaged
        ? "damaged"
        : messagesOf(found)
            .map(({ role }) => role)
            .join()
    } ${answer === "damaged" ? "" : "answer"}`;
  },
};

/**
 * What is written back of a conversation is its end, with its last answer.
 *
 * @param {Conversation} found
 * @param {string} json
 */
function checkChanged(found, json) {
  const { exchanges } = /** @type {Conversation} */ (jsonOf(json));
  const dropped = found.exchanges.length - exchanges.length;
  hold(dropped >= 0, "nothing is added", exchanges);
  holdSame(exchanges, jsonOf(JSON.stringify(found.exchanges.slice(dropped))), "only the oldest are forgotten");
  hold(dropped === 0 || exchanges.length > 0, "the last one is kept", exchanges);
}

const SECRET = "sesame";
/** @type {string[]} */
const calls = [];
const fetch = async (/** @type {unknown} */ address) => {
  calls.push(String(address));
  return new Response('{"ok":true,"result":{"message_id":1,"status":"member"}}');
};
const client = { fetch };
const bot = new Bot("1:token", {
  client,
  botInfo: { id: 1, is_bot: true, first_name: "b", username: "pip_bot" },
});

/** What the bot was made to do. @type {string[]} */
const done = [];
const note =
  (/** @type {string} */ what) =>
  (/** @type {readonly unknown[]} */ ...parameters) => {
    done.push(`${what} ${JSON.stringify(parameters)}`);
  };
const clock = { now: () => 0, after: () => () => undefined };
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const tasks = new Tasks(() => void done.push("failed"));
const house = /** @type {import("../../packages/telegram/dist/updates/house.js").House} */ (
  /** @type {unknown} */ ({
    patientApi: new Api("1:token", client),
    promptApi: new Api("1:token", client),
    answers: {
      running: () => [],
      find: async () => ({ id: "x", place: PLACE, isRunning: true }),
      findMessage: async () => undefined,
      elsewhere: async () => [],
      stop: async () => "stopping",
      skipThinking: async () => true,
      findDraft: async () => ({ id: "x" }),
    },
    lanes: {
      isBusy: () => false,
      countElsewhere: async () => 0,
      isBusyElsewhere: async () => false,
      ask: (/** @type {unknown} */ place, /** @type {unknown} */ question) =>
        (note("ask")(place, question), true),
      stop: () => true,
      interject: async () => undefined,
    },
    waiting: { withdraw: async () => false },
    conversations: {
      read: async () => EMPTY_CONVERSATION,
      forget: async () => undefined,
      move: async (/** @type {unknown} */ from, /** @type {unknown} */ to) => note("move")(from, to),
    },
    admission: new Admission({}, { messagesPerMinute: 1, answersAtOnce: 1 }, { add: async () => true }, clock),
    metrics: { received: note("received") },
    findWords: defineWords({}),
    log: quiet,
  })
);
bot.use(
  routeUpdates({
    house,
    tasks,
    seen: new SeenUpdates({ store: createMemoryStore({ clock }), bot: 1, log: quiet, clock }),
  }),
);
bot.catch(() => void done.push("caught"));
const handle = createWebhookHandler(bot, { secretToken: SECRET, isOpen: () => true, log: quiet });
let updates = 0;

/** @type {Target} */
const webhook = {
  name: "telegram-webhook",
  files:
    /telegram\/dist\/updates\/(?:webhook|route-updates|sender|on-message|on-migration|quoted|on-command|on-stop|on-press|entitled|seen-updates)\.js$/u,
  seeds: [
    '{"update_id":1,"message":{"message_id":2,"date":1,"chat":{"id":5,"type":"private"},"from":{"id":5,"is_bot":false,"language_code":"de"},"text":"Hi"}}',
    '{"update_id":1,"message":{"message_id":2,"chat":{"id":-5,"type":"supergroup"},"from":{"id":5},"message_thread_id":9,"is_topic_message":true,"text":"hey @pip_bot you","entities":[{"type":"mention","offset":4,"length":8}]}}',
    '{"update_id":1,"message":{"message_id":2,"chat":{"id":5,"type":"private"},"text":"/stop","entities":[{"type":"bot_command","offset":0,"length":5}],"reply_to_message":{"message_id":1,"from":{"id":1}}}}',
    '{"update_id":1,"message":{"message_id":2,"chat":{"id":5,"type":"private"},"text":"/new@pip_bot","entities":[{"type":"bot_command","offset":0,"length":12}]}}',
    '{"update_id":1,"callback_query":{"id":"q","from":{"id":5},"message":{"message_id":3,"chat":{"id":5,"type":"private"}},"data":"stop:x"}}',
    '{"update_id":1,"channel_post":{"message_id":2,"chat":{"id":-7,"type":"channel"},"sender_chat":{"id":-7},"caption":"@pip_bot x","caption_entities":[{"type":"mention","offset":0,"length":8}]}}',
    '{"update_id":1,"stopped_message_generation":{"chat":{"id":5},"draft_id":3}}',
    '{"update_id":1,"message":{"message_id":2,"chat":{"id":5,"type":"private"},"voice":{}}}',
    '{"update_id":1,"message":{"message_id":2,"chat":{"id":5,"type":"private"},"text":"Why?","quote":{"text":"a whale","is_manual":true},"reply_to_message":{"message_id":1,"text":"This is\\na whale"}}}',
    '{"update_id":1,"message":{"message_id":2,"chat":{"id":-5,"type":"group"},"migrate_to_chat_id":-1005}}',
    "null",
    "not JSON",
  ],
  words:
    "update_id|message|message_id|chat|type|private|group|from|is_bot|text|entities|mention|bot_command|offset|length|/stop|/start|@pip_bot|callback_query|data|stop:x|regenerate:x|skip:x|sender_chat|caption|reply_to_message|quote|migrate_to_chat_id".split(
      "|",
    ),
  async run(input) {
    const body = withFreshId(toText(input));
    const strange = await send(body, "other");
    holdSame({ status: strange, done }, { status: 401, done: [] }, "nothing is done for strangers");
    const status = await send(body, SECRET);
    const what = done.splice(0);
    calls.length = 0;
    hold(status === 200 || status === 400, "an update is taken or it is not", status);
    const update = jsonOf(body);
    if (typeof update !== "object" || update === null) holdSame(what, [], "what is no update does nothing");
    checkAsked(update, what);
    return `${status} ${[...new Set(what.map((each) => each.split(" ")[0]))].join()}`;
  },
};

/**
 * @typedef {object} Written
 * @property {string} [text]
 * @property {string} [caption]
 * @property {{ text?: unknown }} [quote]
 * @property {{ text?: unknown, caption?: unknown }} [reply_to_message]
 */

/**
 * What the model is asked is a part of what was written, without the name of the bot.
 *
 * @param {unknown} update
 * @param {readonly string[]} what
 */
function checkAsked(update, what) {
  const asked = what.filter((each) => each.startsWith("ask "));
  hold(asked.length <= 1, "an update is at most one question", asked);
  const [parameters] = asked.map(
    (each) => /** @type {[unknown, { task: { message: { content: [{ text: string }] } } }]} */ (jsonOf(each.slice(4))),
  );
  if (parameters === undefined) return;
  const { text } = parameters[1].task.message.content[0];
  hold(typeof text === "string" && text.trim() === text && text !== "", "a question has a text", text);
  const { message, channel_post: post } = /** @type {Record<string, Written | undefined>} */ (update);
  const said = message ?? post ?? {};
  const { quote, reply_to_message: answered } = said;
  // What a message answers stands before it, and is marked.
  const quoted = [quote?.text, answered?.text, answered?.caption].map((each) =>
    (typeof each === "string" ? each : "").replaceAll(/^\s*/gmu, (space) => `> ${space.replaceAll("\n", "\n> ")}`),
  );
  const written = `${quoted.join("\n\n")}\n\n${said.text ?? said.caption ?? ""}`;
  let at = 0;
  for (const letter of text) {
    at = written.indexOf(letter, at) + 1;
    hold(at > 0, "a question has nothing that was not written", { text, written });
  }
}

/** @param {string} text */
function withFreshId(text) {
  const value = jsonOf(text);
  if (typeof value !== "object" || value === null || !("update_id" in value)) return text;
  // Each is new to the bot, however often it is tried.
  return JSON.stringify({
    ...value,
    update_id: typeof value.update_id === "number" ? (updates += 1) : value.update_id,
  });
}

/**
 * Sends an update to the bot and gives the status of the answer.
 *
 * @param {string} body
 * @param {string} secret
 * @returns {Promise<number>}
 */
async function send(body, secret) {
  const request = Object.assign(Readable.from([Buffer.from(body)]), {
    headers: { "x-telegram-bot-api-secret-token": secret },
  });
  let status = 0;
  const response = {
    headersSent: false,
    writeHead(/** @type {number} */ code) {
      status = code;
      return response;
    },
    end() {
      hold(!response.headersSent, "an update is answered once");
      response.headersSent = true;
      status ||= 200;
      return response;
    },
  };
  await handle(
    /** @type {import("node:http").IncomingMessage} */ (/** @type {unknown} */ (request)),
    /** @type {import("node:http").ServerResponse} */ (/** @type {unknown} */ (response)),
  );
  hold(response.headersSent, "an update is answered");
  await tasks.done();
  return status;
}

/** What the bot gets from Telegram and from its store. */
export const TELEGRAM_INPUT_TARGETS = [stored, webhook];
