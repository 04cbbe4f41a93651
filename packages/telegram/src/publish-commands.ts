import type { Api } from "grammy";
import type { BotLog } from "./operations/log.ts";
import { readFailure } from "./screen/outcome.ts";
import type { FindWords } from "./words/languages.ts";
import type { Words } from "./words/words.ts";

/** What publishing needs. */
interface CommandParts {
  readonly findWords: FindWords;
  readonly log: BotLog;
}

/** Telegram knows languages by two letters, such as `pt`, and none of their kinds, such as `pt-br`. */
const TWO_LETTERS = /^[a-z]{2}$/u;

/**
 * Puts the commands into Telegram's menu, in every language that the bot has. Rejects if Telegram does not take them. If
 * it has no time for that now, the menu stays as it was: nobody is to wait for an answer because of it.
 */
export async function publishCommands(api: Api, { findWords, log }: CommandParts): Promise<void> {
  try {
    await publish(api, findWords);
  } catch (error) {
    if (readFailure(error).state !== "later") throw error;
    log.warn({ err: error }, "the menu of commands stays as it was until the bot is started again");
  }
}

async function publish(api: Api, findWords: FindWords): Promise<void> {
  await api.setMyCommands(describe(findWords(undefined)));
  for (const code of findWords.codes.filter((each) => TWO_LETTERS.test(each))) {
    // grammY lists the languages that there are; what Telegram does not know, it refuses.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    await api.setMyCommands(describe(findWords(code)), { language_code: code as "en" });
  }
}

function describe({ commands }: Words): { readonly command: string; readonly description: string }[] {
  return Object.entries(commands).map(([command, description]) => ({ command, description }));
}
