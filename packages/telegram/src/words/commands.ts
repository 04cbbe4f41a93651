import type { Api } from "grammy";
import type { FindWords } from "./languages.ts";
import type { Words } from "./words.ts";

/** Telegram knows languages by two letters, such as `pt`, and none of their kinds, such as `pt-br`. */
const TWO_LETTERS = /^[a-z]{2}$/u;

/** Puts the commands into Telegram's menu, in every language that the bot has. */
export async function publishCommands(api: Api, findWords: FindWords): Promise<void> {
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
