import type { IncomingMessage, ServerResponse } from "node:http";
import { autoRetry } from "@grammyjs/auto-retry";
import { run } from "@grammyjs/runner";
import type { RunnerHandle } from "@grammyjs/runner";
import { Api, Bot, webhookCallback } from "grammy";
import type { Context } from "grammy";
import type { Update } from "grammy/types";
import type { Registry } from "prom-client";
import { assemble } from "./assemble.ts";
import type { BotOptions } from "./options.ts";
import { defineBotSettings } from "./settings.ts";
import { Tasks } from "./updates/tasks.ts";
import { routeUpdates } from "./updates/route-updates.ts";
import { describeCommands } from "./words/commands.ts";

/** How long and how often a short message is tried again that Telegram did not take at once. */
const PATIENCE = { maxDelaySeconds: 120, maxRetryAttempts: 5 } as const;

/** What a bot wants to hear of. It has to be said each time: what is left out stays as it was set before. */
const UPDATES: readonly Exclude<keyof Update, "update_id">[] = [
  "message",
  "channel_post",
  "callback_query",
  "stopped_message_generation",
];

/** Where Telegram sends updates to. */
export interface WebhookOptions {
  /** The address of this process for Telegram. Left out, it is taken to be set already. */
  readonly url?: string | undefined;
  /** What Telegram proves itself with: 1 to 256 letters, digits, `_` and `-`. */
  readonly secretToken: string;
}

/** A bot that answers, and that can be interrupted. */
export interface TelegramBot {
  /** grammY's bot, for handlers of one's own. Those that are added come after the bot's, and see what it leaves. */
  readonly grammy: Bot;
  /** The bot's metrics. */
  readonly registry: Registry;
  /** Fetches updates from Telegram until the bot is stopped, which fulfils the promise. */
  readonly poll: () => Promise<void>;
  /** Makes the handler of a web server to which Telegram sends updates. */
  readonly webhook: (
    options: WebhookOptions,
  ) => Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>>;
  /** Takes no more updates, stops all answers, marks them as interrupted, and waits until that is done. */
  readonly stop: () => Promise<void>;
}

/**
 * Creates a bot and asks Telegram who it is. It answers once it polls, or gets updates otherwise. The store is not
 * closed with it.
 */
export async function createBot(options: BotOptions): Promise<TelegramBot> {
  const settings = defineBotSettings(options);
  const { token, apiRoot, log, store } = settings;
  const client = apiRoot === undefined ? {} : { apiRoot };
  const patientApi = new Api(token, client);
  patientApi.config.use(autoRetry(PATIENCE));
  const bot = new Bot<Context>(token, { client });
  bot.botInfo = await patientApi.getMe();
  const { house, close } = await assemble(settings, { hastyApi: bot.api, patientApi });
  const tasks = new Tasks((error) => log.warn({ error }, "an update could not be handled"));
  bot.use(routeUpdates({ house, tasks, store, bot: settings.bot, log }));
  bot.catch(({ error }) => log.warn({ error }, "an update could not be handled"));
  await patientApi.setMyCommands(describeCommands(settings.findWords(undefined)));

  let polling: RunnerHandle | "never" | undefined;
  return {
    grammy: bot,
    registry: settings.registry,
    async poll() {
      await patientApi.deleteWebhook();
      // It may have been stopped before it has begun.
      if (polling === "never") return;
      polling = run(bot, { runner: { fetch: { allowed_updates: UPDATES }, silent: true } });
      await polling.task();
    },
    async webhook({ url, secretToken }) {
      if (url !== undefined) {
        await patientApi.setWebhook(url, { secret_token: secretToken, allowed_updates: [...UPDATES] });
      }
      return webhookCallback(bot, "http", { secretToken });
    },
    async stop() {
      if (polling === undefined) polling = "never";
      else if (polling !== "never") await polling.stop();
      await tasks.done();
      await close();
    },
  };
}
