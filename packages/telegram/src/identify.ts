import { FullstopError } from "fullstop";
import type { Api } from "grammy";
import type { UserFromGetMe } from "grammy/types";
import type { Hide } from "./operations/hide-secrets.ts";
import { outcomeOf } from "./screen/outcome.ts";
import { TelegramUnreachableError } from "./telegram-errors.ts";

/**
 * Asks Telegram who the bot is, which also tells whether it can be reached and knows the token. `hide` takes the token
 * out of what Telegram says.
 */
export async function identify(api: Api, apiRoot: string | undefined, hide: Hide): Promise<UserFromGetMe> {
  const outcome = await outcomeOf(() => api.getMe());
  if (outcome.state === "done") return outcome.value;
  if (!("description" in outcome)) throw new TelegramUnreachableError(apiRoot);
  const rule = "must be one that Telegram knows; @BotFather can tell or renew it. Telegram says";
  throw new FullstopError("invalid_argument", `token ${rule} ${JSON.stringify(hide(outcome.description))}`);
}
