import type { RequestListener } from "node:http";
import type { Store } from "fullstop/control";
import type { User } from "grammy/types";
import { onTestFinished } from "vitest";
import { openRedisStore } from "../../../gateway/src/stores/index.ts";
import { startProxy } from "../../../gateway/test/support/redis-proxy.ts";
import type { RedisProxy } from "../../../gateway/test/support/redis-proxy.ts";
import { startRedis } from "../../../gateway/test/support/redis-server.ts";
import type { RedisServer } from "../../../gateway/test/support/redis-server.ts";
import type { TelegramBot } from "../../src/bot.ts";
import { startBotApi } from "./bot-api/index.ts";
import type { BotApi, ChatScreen } from "./bot-api/index.ts";
import { openBot } from "./open-bot.ts";
import type { LogLine, TestBotOptions } from "./open-bot.ts";
import { openWebServer } from "./web-server.ts";

/** One of the processes that are one bot: each has a connection to Redis and a webhook of its own. */
interface BotMember {
  readonly bot: TelegramBot;
  readonly store: Store;
  readonly logged: readonly LogLine[];
}

/** Two processes that are one bot, and somebody who talks to it. */
export interface TwoProcesses {
  readonly api: BotApi;
  readonly redis: RedisServer;
  /** The way to Redis of both. */
  readonly proxy: RedisProxy;
  readonly members: Readonly<Record<"a" | "b", BotMember>>;
  readonly ann: User;
  readonly chat: ChatScreen;
  /** Which of the two gets the updates from now on. */
  readonly sendTo: (name: "a" | "b") => void;
}

const secretToken = "secret";

/** Opens two bots on one Redis; whatever is opened is closed when the test is over. */
export async function openTwoProcesses(options: Readonly<Record<"a" | "b", TestBotOptions>>): Promise<TwoProcesses> {
  const api = await startBotApi({ webhook: { order: "none" } });
  onTestFinished(() => api.close());
  const redis = await startRedis({ keepsData: true });
  onTestFinished(() => redis.stop());
  const proxy = await startProxy(redis.url);
  onTestFinished(() => proxy.close());
  let target: "a" | "b" = "a";
  const handlers: Partial<Record<"a" | "b", RequestListener>> = {};
  const url = await openWebServer((request, response) => handlers[target]?.(request, response));
  const open = async (name: "a" | "b"): Promise<BotMember> => {
    const store = await openRedisStore({ url: proxy.url, timeoutMilliseconds: 500 });
    onTestFinished(() => store.close());
    const { bot, logged } = await openBot(api, { store, name, ...options[name] });
    onTestFinished(() => bot.stop());
    const handle = await bot.webhook(name === "a" ? { url, secretToken } : { secretToken });
    handlers[name] = (request, response) => void handle(request, response);
    return { bot, store, logged };
  };
  const members = { a: await open("a"), b: await open("b") };
  const ann = api.person({ firstName: "Ann" });
  const chat = api.privateChat(ann);
  return { api, redis, proxy, members, ann, chat, sendTo: (name) => (target = name) };
}
