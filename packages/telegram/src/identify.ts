import { FullstopError } from "fullstop";
import type { Api } from "grammy";
import type { UserFromGetMe } from "grammy/types";
import { outcomeOf } from "./screen/outcome.ts";

/** Telegram could not be asked who the bot is. */
export class TelegramUnreachableError extends Error {
  constructor(apiRoot: string) {
    super(`Telegram cannot be reached at ${apiRoot}`);
    this.name = "TelegramUnreachableError";
  }
}

/** Asks Telegram who the bot is, which also tells whether it can be reached and knows the token. */
export async function identify(api: Api, apiRoot = "https://api.telegram.org"): Promise<UserFromGetMe> {
  const outcome = await outcomeOf(() => api.getMe());
  if (outcome.state === "done") return outcome.value;
  if (!("description" in outcome)) throw new TelegramUnreachableError(apiRoot);
  const rule = "must be one that Telegram knows; @BotFather can tell or renew it. Telegram says";
  throw new FullstopError("invalid_argument", `token ${rule} ${JSON.stringify(outcome.description)}`);
}
