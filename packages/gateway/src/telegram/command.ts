import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { TelegramRefusedError, TelegramUnreachableError, createBot } from "@fullstop/telegram";
import type { AnswerSource, BotOptions, TelegramBot } from "@fullstop/telegram";
import { FullstopError } from "fullstop";
import { defineCommand } from "../command-line/run-command.ts";
import { ConfigError } from "../config/config-error.ts";
import type { GatewayConfig } from "../config/config.ts";
import { logSettingsOf } from "../config/operations-settings.ts";
import { readConfig } from "../config/read-config.ts";
import { openModel } from "../models/open-model.ts";
import { createLogger } from "../operations/logs.ts";
import { LOOPBACK } from "../serve/options.ts";
import { receiveSignal } from "../serve/receive-signal.ts";
import { openStore } from "../stores/open-store.ts";
import { writeText } from "../terminal.ts";
import type { RunCommand, Terminal } from "../terminal.ts";
import { startBotServer } from "./http.ts";
import { TELEGRAM, readTelegramOptions } from "./options.ts";
import type { TelegramOptions } from "./options.ts";

/** About how many characters of a conversation a token of the context stands for, with room for the answer. */
const CHARACTERS_PER_TOKEN = 2;

/** The errors whose sentence is all there is to say. */
const PLAIN_ERRORS = [ConfigError, FullstopError, TelegramRefusedError];

/** The exit code where the call was right, and Telegram is not there. */
const UNREACHABLE = 1;

/** Runs `fullstop telegram` until the process is told to end. */
export const runTelegram: RunCommand = defineCommand({
  description: TELEGRAM,
  read: readTelegramOptions,
  run: runUnlessAway,
  isPlain: (error) => PLAIN_ERRORS.some((kind) => error instanceof kind),
});

async function runUnlessAway(options: TelegramOptions, terminal: Terminal): Promise<number> {
  try {
    return await openAndRun(options, terminal);
  } catch (error) {
    if (!(error instanceof TelegramUnreachableError)) throw error;
    await writeText(terminal.stderr, `fullstop telegram: ${error.message}\n`);
    return UNREACHABLE;
  }
}

/** Opens what the bot needs, runs it, and puts all of it away again. */
async function openAndRun(options: TelegramOptions, terminal: Terminal): Promise<number> {
  const { env, stderr } = terminal;
  const token = env["TELEGRAM_BOT_TOKEN"];
  if (token === undefined || token === "") {
    throw new ConfigError("TELEGRAM_BOT_TOKEN is not set; @BotFather in Telegram gives you a token");
  }
  const config = await readConfig(options.config);
  const log = createLogger(logSettingsOf(config, env, { write: (line) => void stderr.write(line, () => undefined) }));
  const onError = (error: unknown): void => log.warn({ err: error }, "the store cannot be reached");
  const { place, content, retention, leaseMilliseconds } = config.store;
  if (!content) {
    throw new ConfigError(
      "store.content is false, but a bot has to keep what was said: give it a configuration of its own without that",
    );
  }
  const { store, description, usualBytes } = await openStore({
    place,
    environment: env,
    ownFile: `telegram-${Number.parseInt(token, 10)}.db`,
    onError,
  });
  try {
    const source = await openSource(options, config, env);
    try {
      const bot = await createBot({
        ...source.options,
        ...plainOptions(options, env),
        token,
        store,
        retention: { ...retention, maxBytes: retention.maxBytes ?? usualBytes },
        leaseMilliseconds,
        log,
      });
      await run(bot, options, terminal, [
        `answers come from ${source.description}`,
        `conversations are kept ${description}`,
      ]);
    } finally {
      await source.close();
    }
  } finally {
    await store.close();
  }
  return 0;
}

/** What answers, and how to put it away. */
interface Source {
  readonly options: AnswerSource & Pick<BotOptions, "model" | "conversations">;
  readonly description: string;
  readonly close: () => Promise<void>;
}

async function openSource(
  { model, gateway: url }: TelegramOptions,
  config: GatewayConfig,
  env: Terminal["env"],
): Promise<Source> {
  if (url !== undefined && model !== undefined) {
    const gateway = { url, key: env["FULLSTOP_KEY"] };
    return { options: { gateway, model }, description: `${model} of ${url}`, close: async () => undefined };
  }
  const opened = await openModel(model, config, env);
  const { contextTokens } = opened;
  const conversations =
    contextTokens === undefined ? undefined : { maxCharacters: contextTokens * CHARACTERS_PER_TOKEN };
  const { engine, description, close } = opened;
  return { options: { engine, model: opened.model, conversations }, description, close };
}

function plainOptions(
  options: TelegramOptions,
  env: Terminal["env"],
): Pick<BotOptions, "drafts" | "allow" | "system" | "whenBusy" | "apiRoot"> {
  const { system, whenBusy, drafts, allowUsers: users, allowChats: chats } = options;
  const apiRoot = env["TELEGRAM_API_ROOT"];
  return {
    drafts,
    allow: { users, chats },
    ...(system !== undefined && { system }),
    ...(whenBusy !== undefined && { whenBusy }),
    ...(apiRoot !== undefined && apiRoot !== "" && { apiRoot }),
  };
}

/** Runs the bot until the process is told to end. */
async function run(
  bot: TelegramBot,
  options: TelegramOptions,
  { stdout, env }: Terminal,
  facts: readonly string[],
): Promise<void> {
  let server: Server | undefined;
  try {
    const told = receiveSignal(() => process.exit(1));
    const { webhook: url, port } = options;
    const secretToken = env["TELEGRAM_WEBHOOK_SECRET"] ?? randomBytes(32).toString("base64url");
    const webhook =
      url === undefined ? undefined : { path: new URL(url).pathname, handle: await bot.webhook({ url, secretToken }) };
    if (port !== undefined) {
      const { registry } = bot;
      server = await startBotServer({ host: options.host ?? LOOPBACK, port, registry, webhook });
    }
    const polling = webhook === undefined ? bot.poll() : undefined;
    await writeText(stdout, bannerOf(bot, server, facts));
    await Promise.race([told, ...(polling === undefined ? [] : [polling])]);
  } finally {
    await bot.stop();
    server?.close();
  }
}

function bannerOf({ grammy }: TelegramBot, server: Server | undefined, facts: readonly string[]): string {
  const address = server?.address();
  const isThere = typeof address === "object" && address !== null;
  const listening = isThere ? [`fullstop is listening on http://${hostOf(address)}:${address.port}`] : [];
  return [`fullstop is @${grammy.botInfo.username} in Telegram`, ...listening, "", ...facts, ""].join("\n");
}

function hostOf({ address, family }: AddressInfo): string {
  return family === "IPv6" ? `[${address}]` : address;
}
