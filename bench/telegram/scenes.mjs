// @ts-check
import { register } from "node:module";
import { createBot } from "@fullstop/telegram";
import { createLlamaEngine } from "fullstop/llama";

register("../../scripts/typescript-hooks.mjs", import.meta.url);

/*
 * A bot in this process, which talks over HTTP to a played Telegram in the same one. The player is TypeScript, which is
 * why it is imported when it is needed: only then are the hooks there that read it.
 */

const STOPS = 100;
const WARM_UP_STOPS = 5;
const CHATS = 200;
const PIECES = 120;
const PIECE_MILLISECONDS = 50;

/**
 * How long it takes until Pip has stopped, from the moment somebody has written `/stop`, in milliseconds: Telegram's
 * answer to the bot's request for updates, the bot, and the model.
 *
 * @param {(progress: string) => void} showProgress
 * @returns {Promise<readonly number[]>}
 */
export async function measureStops(showProgress) {
  const pip = createLlamaEngine({ model: "pip" });
  /** @type {Deferred<number>} */
  let ended = defer();
  /** @type {Deferred<void>} */
  let begun = defer();
  const engine = {
    /** @type {import("fullstop").Engine["generate"]} */
    async *generate(request, signal) {
      for await (const event of pip.generate(request, signal)) {
        if (event.type === "text") begun.resolve();
        if (event.type === "finish") ended.resolve(performance.now());
        yield event;
      }
    },
  };
  try {
    return await withBot(engine, async (api) => {
      const times = [];
      for (let index = 0; index < WARM_UP_STOPS + STOPS; index++) {
        showProgress(`stop ${index + 1} of ${WARM_UP_STOPS + STOPS}`);
        ended = defer();
        begun = defer();
        const person = api.person({ firstName: `Person ${index}` });
        const chat = api.privateChat(person);
        api.say(chat, person, "Count from 1 to 200.");
        await begun.promise;
        const start = performance.now();
        api.say(chat, person, "/stop");
        const milliseconds = (await ended.promise) - start;
        await api.until(() => chat.messages.some(({ text }) => text.endsWith("[interrupted]")), "it is marked");
        if (index >= WARM_UP_STOPS) times.push(milliseconds);
      }
      return times;
    });
  } finally {
    await pip.dispose();
  }
}

/**
 * What was seen of many chats in which answers were written at the same time.
 *
 * @typedef {object} ChatFindings
 * @property {number} chats
 * @property {number} whole Chats whose last message is the whole answer.
 * @property {number} edits
 * @property {number} shortestGap The least time between two edits of an answer that was still being written.
 * @property {number} medianGap
 * @property {number} longestFinal The most time from the end of an answer to its last edit.
 * @property {number} seconds
 */

/**
 * Lets answers be written in many chats at once, at the pace that people have.
 *
 * @returns {Promise<ChatFindings>}
 */
export async function watchChats() {
  const words = Array.from({ length: PIECES }, (_, index) => `word${index} `);
  const whole = words.join("").trim();
  /** @type {Map<string, number>} */
  const endedAt = new Map();
  const engine = {
    /** @type {import("fullstop").Engine["generate"]} */
    async *generate({ messages }) {
      const asked = messages.at(-1)?.content[0];
      yield { type: "start", id: "1", model: "words" };
      for (const text of words) {
        await new Promise((resolve) => void setTimeout(resolve, PIECE_MILLISECONDS));
        yield { type: "text", text };
      }
      if (asked?.type === "text") endedAt.set(asked.text, performance.now());
      const providerSpecific = { originalField: "end", originalValue: "words" };
      const signal = { shouldTerminate: true, confidence: "high", reason: "natural_completion", providerSpecific };
      yield /** @type {import("fullstop").FinishEvent} */ ({ type: "finish", signal });
    },
  };
  const isDone = (/** @type {import("../../packages/telegram/test/support/bot-api/index.ts").ChatScreen} */ chat) =>
    chat.lastFromBot?.text === whole && chat.lastFromBot.buttons.length === 0;
  return withBot(engine, async (api) => {
    const start = performance.now();
    const chats = Array.from({ length: CHATS }, (_, index) => {
      const person = api.person({ firstName: `Person ${index}` });
      const chat = api.privateChat(person);
      api.say(chat, person, `question ${index}`);
      return chat;
    });
    await api.until(() => chats.every(isDone), "all answers are whole", 60_000);
    const seconds = (performance.now() - start) / 1000;
    const calls = api.callsOf("editMessageText");
    const gaps = chats.flatMap(({ id }) => {
      const times = calls.filter(({ parameters }) => parameters["chat_id"] === id).map(({ at }) => at);
      // The last one is the last state, which does not wait.
      return times.slice(1, -1).map((at, index) => at - (times[index] ?? at));
    });
    const finals = chats.map(({ id }, index) => {
      const last = calls.findLast(({ parameters }) => parameters["chat_id"] === id);
      return (last?.at ?? Number.NaN) - (endedAt.get(`question ${index}`) ?? Number.NaN);
    });
    const sorted = gaps.toSorted((a, b) => a - b);
    return {
      chats: CHATS,
      whole: chats.filter(isDone).length,
      edits: calls.length,
      shortestGap: sorted[0] ?? Number.NaN,
      medianGap: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
      longestFinal: Math.max(...finals),
      seconds,
    };
  });
}

/**
 * @template Result
 * @param {import("fullstop").Engine} engine
 * @param {(api: import("../../packages/telegram/test/support/bot-api/index.ts").BotApi) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
async function withBot(engine, work) {
  const { startBotApi } = await import("../../packages/telegram/test/support/bot-api/index.ts");
  const api = await startBotApi();
  const { token, url: apiRoot } = api;
  const bot = await createBot({ token, apiRoot, engine, model: "pip", mergeMilliseconds: 0 });
  const polling = bot.poll();
  try {
    return await work(api);
  } finally {
    await bot.stop();
    await polling;
    await api.close();
  }
}

/**
 * A promise that is kept from outside.
 *
 * @template T
 * @typedef {object} Deferred
 * @property {Promise<T>} promise
 * @property {(value: T) => void} resolve
 */

/**
 * @template T
 * @returns {Deferred<T>}
 */
function defer() {
  /** @type {((value: T) => void) | undefined} */
  let settle;
  /** @type {Promise<T>} */
  const promise = new Promise((resolve) => (settle = resolve));
  return { promise, resolve: (value) => settle?.(value) };
}
