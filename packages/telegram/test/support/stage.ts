import type { User } from "grammy/types";
import { onTestFinished } from "vitest";
import { startBotApi } from "./bot-api/index.ts";
import type { BotApi, BotApiOptions, ChatScreen } from "./bot-api/index.ts";
import { startBot } from "./open-bot.ts";
import type { OpenedBot, TestBotOptions } from "./open-bot.ts";

/** A bot that runs against a played Telegram, and somebody who talks to it in private. */
export interface Stage extends OpenedBot {
  readonly api: BotApi;
  readonly ann: User;
  /** Ann's private chat with the bot. */
  readonly chat: ChatScreen;
  /** Says something as Ann, in private. */
  readonly say: (text: string) => void;
  /** Waits until the bot's last message in the private chat is so. */
  readonly untilLast: (is: (text: string) => boolean, what: string) => Promise<void>;
}

/** Opens a played Telegram with a running bot; both are closed when the test is over. */
export async function openStage(options: TestBotOptions, apiOptions?: BotApiOptions): Promise<Stage> {
  const api = await startBotApi(apiOptions);
  onTestFinished(() => api.close());
  const opened = await startBot(api, options);
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const ann = api.person({ firstName: "Ann" });
  const chat = api.privateChat(ann);
  return {
    ...opened,
    api,
    ann,
    chat,
    say: (text) => void api.say(chat, ann, text),
    async untilLast(is, what) {
      await api.until(() => chat.lastFromBot !== undefined && is(chat.lastFromBot.text), what);
    },
  };
}
