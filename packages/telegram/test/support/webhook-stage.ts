import type { RequestListener } from "node:http";
import type { ScriptedEngine } from "fullstop/testing";
import type { User } from "grammy/types";
import { onTestFinished } from "vitest";
import type { TelegramBot } from "../../src/bot.ts";
import { startBotApi } from "./bot-api/index.ts";
import type { BotApi, ChatScreen } from "./bot-api/index.ts";
import { openBot } from "./open-bot.ts";
import type { LogLine } from "./open-bot.ts";
import { openWebServer } from "./web-server.ts";

/** What Telegram says with every update, so that nobody else can send one. */
export const secretToken = "a_secret-1";
export const SECRET_HEADER = "x-telegram-bot-api-secret-token";

/** A bot behind a web server, to which a played Telegram sends updates. */
export interface WebhookStage {
  readonly api: BotApi;
  readonly bot: TelegramBot;
  readonly url: string;
  readonly ann: User;
  readonly chat: ChatScreen;
  readonly logged: readonly LogLine[];
}

/** Opens a bot behind a web server. All of it ends with the test. */
export async function openWebhook(engine: ScriptedEngine): Promise<WebhookStage> {
  const api = await startBotApi();
  onTestFinished(() => api.close());
  const { bot, logged } = await openBot(api, { engine });
  onTestFinished(() => bot.stop());
  let listener: RequestListener = () => undefined;
  const url = await openWebServer((request, response) => listener(request, response));
  const handle = await bot.webhook({ url, secretToken });
  listener = (request, response) => void handle(request, response);
  const ann = api.person({ firstName: "Ann" });
  return { api, bot, url, ann, chat: api.privateChat(ann), logged };
}
