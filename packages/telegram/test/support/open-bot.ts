import { createBot } from "../../src/bot.ts";
import type { TelegramBot } from "../../src/bot.ts";
import type { BotOptions } from "../../src/options.ts";
import type { BotApi } from "./bot-api/index.ts";

/** What tests say of a bot; the rest is as it is for people, but much faster. */
export type TestBotOptions = Omit<BotOptions, "token" | "apiRoot" | "model"> & { readonly model?: string };

/** A bot that runs. */
export interface OpenedBot extends AsyncDisposable {
  readonly bot: TelegramBot;
  /** What it has logged. */
  readonly logged: readonly LogLine[];
}

/** A line of the log. */
export interface LogLine {
  readonly level: "info" | "warn";
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** Creates a bot that speaks to a played Telegram, without having it fetch updates. */
export async function openBot(api: BotApi, options: TestBotOptions): Promise<OpenedBot> {
  const logged: LogLine[] = [];
  const bot = await createBot({
    model: "scripted",
    mergeMilliseconds: 0,
    pace: { privateMilliseconds: 10, groupMilliseconds: 20 },
    log: {
      info: (fields, message) => logged.push({ level: "info", fields, message }),
      warn: (fields, message) => logged.push({ level: "warn", fields, message }),
    },
    ...options,
    token: api.token,
    apiRoot: api.url,
  } as BotOptions);
  return { bot, logged, [Symbol.asyncDispose]: () => bot.stop() };
}

/** Creates a bot that fetches its updates. */
export async function startBot(api: BotApi, options: TestBotOptions): Promise<OpenedBot> {
  const opened = await openBot(api, options);
  const polling = opened.bot.poll();
  return {
    ...opened,
    async [Symbol.asyncDispose]() {
      await opened.bot.stop();
      await polling;
    },
  };
}
