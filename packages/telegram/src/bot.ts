import { setMaxListeners } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { autoRetry } from "@grammyjs/auto-retry";
import { run } from "@grammyjs/runner";
import type { RunnerHandle } from "@grammyjs/runner";
import { Api, Bot } from "grammy";
import type { Context, Transformer } from "grammy";
import type { Update } from "grammy/types";
import type { Registry } from "prom-client";
import { systemClock } from "fullstop/control";
import { assemble } from "./assemble.ts";
import type { BotOptions } from "./options.ts";
import { identify } from "./identify.ts";
import { createHide } from "./operations/hide-secrets.ts";
import { publishCommands } from "./publish-commands.ts";
import { defineBotSettings } from "./settings.ts";
import { explainFailure } from "./telegram-errors.ts";
import { keepFetching } from "./updates/keep-fetching.ts";
import { SeenUpdates } from "./updates/seen-updates.ts";
import { Tasks } from "./updates/tasks.ts";
import { routeUpdates } from "./updates/route-updates.ts";
import { checkSecretToken, createWebhookHandler } from "./updates/webhook.ts";

/**
 * How long and how often a short message is tried again that Telegram did not take at once. Not where the network has
 * failed: nobody knows whether it has arrived, and there would be no end to it.
 */
const PATIENCE = { maxDelaySeconds: 120, maxRetryAttempts: 5, rethrowHttpErrors: true } as const;

/** The same for what somebody waits for with a finger on a button: what takes longer comes too late. */
const SHORT_PATIENCE = { ...PATIENCE, maxDelaySeconds: 3, maxRetryAttempts: 1 } as const;

/** How long a call may take. Fetching updates waits for 30 s by itself; a dead connection should not hold an answer up. */
const CALL_SECONDS = 60;

/** What a bot wants to hear of. It has to be said each time: what is left out stays as it was set before. */
const UPDATES: readonly Exclude<keyof Update, "update_id">[] = [
  "message",
  "channel_post",
  "callback_query",
  "stopped_message_generation",
];

/** How long a bot that is stopped waits for Telegram. */
const GRACE_MILLISECONDS = 10_000;

/** Where Telegram sends updates to. */
export interface WebhookOptions {
  /** The address of this process for Telegram. Left out, it is taken to be set already. */
  readonly url?: string | undefined;
  /** What Telegram proves itself with: 1 to 256 letters, digits, `_` and `-`. */
  readonly secretToken: string;
}

/** A bot that answers, and that can be interrupted. */
export interface TelegramBot {
  /**
   * grammY's bot, for handlers of one's own. Those that are added come after the bot's, and see what it leaves; what
   * has to come before is given as the option `before`.
   */
  readonly grammy: Bot;
  /** The bot's metrics. */
  readonly registry: Registry;
  /**
   * Fetches updates from Telegram until the bot is stopped, which fulfils the promise. Failures of the network are
   * waited out. Rejects with a {@link TelegramRefusedError} if another process fetches the updates of this bot, because
   * only one can.
   */
  readonly poll: () => Promise<void>;
  /**
   * Makes the handler of a web server to which Telegram sends updates. It answers at once, and never rejects. After the
   * bot was stopped it turns updates away, so that Telegram sends them to the next process.
   */
  readonly webhook: (
    options: WebhookOptions,
  ) => Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>>;
  /**
   * Takes no more updates, stops all answers, marks them as interrupted, and waits until that is done. What could not be
   * shown within the grace is shown by the next process of the same store. Default: 10 seconds.
   */
  readonly stop: (options?: { readonly graceMilliseconds?: number | undefined }) => Promise<void>;
}

/**
 * Creates a bot and asks Telegram who it is. It answers once it polls, or gets updates otherwise. The store is not
 * closed with it.
 */
export async function createBot(options: BotOptions): Promise<TelegramBot> {
  const settings = defineBotSettings(options);
  const { token, apiRoot, log } = settings;
  const client = { timeoutSeconds: CALL_SECONDS, ...(apiRoot !== undefined && { apiRoot }) };
  const closing = new AbortController();
  // Everything that is under way listens, and that can be a lot.
  setMaxListeners(0, closing.signal);
  const [patientApi, promptApi] = [new Api(token, client), new Api(token, client)];
  // The last one comes first, so that nothing is tried again once all is closed.
  patientApi.config.use(autoRetry(PATIENCE), untilClosed(closing.signal));
  promptApi.config.use(autoRetry(SHORT_PATIENCE), untilClosed(closing.signal));
  const bot = new Bot<Context>(token, { client });
  bot.api.config.use(keepFetching(settings.clock), untilClosed(closing.signal));
  bot.botInfo = await identify(bot.api, apiRoot, createHide([token]));
  const explain = (error: unknown, ...secrets: readonly string[]): never => {
    throw explainFailure(error, apiRoot, createHide([token, ...secrets]));
  };
  await publishCommands(bot.api, settings).catch(explain);
  const { house, close } = await assemble(settings, { hastyApi: bot.api, promptApi, patientApi }, closing.signal);
  const tasks = new Tasks((error) => log.warn({ err: error }, "an update could not be handled"));
  if (settings.before !== undefined) bot.use(settings.before);
  const seen = new SeenUpdates(settings);
  bot.use(routeUpdates({ house, tasks, seen }));
  bot.catch(({ error }) => log.warn({ err: error }, "an update could not be handled"));

  let state: "taking updates" | "stopped" = "taking updates";
  const isStopped = (): boolean => state === "stopped";
  let polling: RunnerHandle | undefined;
  return {
    grammy: bot,
    registry: settings.registry,
    async poll() {
      try {
        await bot.api.deleteWebhook();
        // It may have been stopped before it has begun.
        if (isStopped()) return;
        polling = run(bot, { runner: { fetch: { allowed_updates: UPDATES }, silent: true } });
        await polling.task();
      } catch (error) {
        if (!isStopped()) explain(error);
      }
    },
    async webhook({ url, secretToken }) {
      checkSecretToken(secretToken);
      if (url !== undefined) {
        const wishes = { secret_token: secretToken, allowed_updates: [...UPDATES] };
        await patientApi.setWebhook(url, wishes).catch((error: unknown) => explain(error, secretToken));
      }
      return createWebhookHandler(bot, { secretToken, isOpen: () => !isStopped(), log });
    },
    async stop({ graceMilliseconds = GRACE_MILLISECONDS } = {}) {
      state = "stopped";
      const cancel = systemClock.after(graceMilliseconds, () => closing.abort());
      try {
        if (bot.isRunning()) await bot.stop();
        await polling?.stop();
        house.lanes.close("shutdown");
        await tasks.done();
        await close();
      } finally {
        cancel();
        closing.abort();
      }
    },
  };
}

type CallSignal = Parameters<Transformer>[3];

/** Breaks calls off when the bot is closed, but for those that somebody else breaks off. */
function untilClosed(closing: AbortSignal): Transformer {
  // grammY has the type of a polyfill, whose signals do no more than those of the runtime, which it takes.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const closed = closing as unknown as CallSignal;
  return (call, method, payload, signal) => call(method, payload, signal ?? closed);
}
