import { ENGLISH } from "./english.ts";
import { GERMAN } from "./german.ts";
import type { Words } from "./words.ts";

/** The languages that the bot has words in by itself, by the codes that Telegram gives. */
const LANGUAGES: Readonly<Record<string, Words>> = { en: ENGLISH, de: GERMAN };

/** Some of the words; what is left out, also within a group of them, is said in the bot's own. */
type SomeWords = {
  readonly [Name in keyof Words]?: Words[Name] extends Readonly<Record<string, string>>
    ? Partial<Words[Name]>
    : Words[Name];
};

/** Words that replace the bot's own, by language code. */
export type OwnWords = Readonly<Record<string, SomeWords>>;

/** The words of a bot. */
export interface FindWords {
  /** Finds words by the language somebody has in Telegram. */
  (languageCode: string | undefined): Words;
  /** The languages that there are words in. */
  readonly codes: readonly string[];
}

/** Fixes which words are used: those of the language, such as `pt-br`, else of its family, `pt`, else English. */
export function defineWords(own: OwnWords = {}): FindWords {
  const codes = new Set([...Object.keys(LANGUAGES), ...Object.keys(own)]);
  const all = new Map([...codes].map((code) => [code.toLowerCase(), complete(code, own)]));
  const usual = all.get("en") ?? ENGLISH;
  const find = (languageCode: string | undefined): Words => {
    const code = languageCode?.toLowerCase();
    if (code === undefined) return usual;
    return all.get(code) ?? all.get(code.replace(/-.*$/u, "")) ?? usual;
  };
  return Object.assign(find, { codes: [...all.keys()] });
}

/** A language that is only partly given is completed by the bot's own words, or else by English ones. */
function complete(code: string, own: OwnWords): Words {
  const base = LANGUAGES[code.toLowerCase()] ?? merge(ENGLISH, own["en"] ?? {});
  return merge(base, own[code] ?? {});
}

function merge(base: Words, given: SomeWords): Words {
  return {
    ...base,
    ...given,
    endings: { ...base.endings, ...given.endings },
    buttons: { ...base.buttons, ...given.buttons },
    toasts: { ...base.toasts, ...given.toasts },
    commands: { ...base.commands, ...given.commands },
  };
}
