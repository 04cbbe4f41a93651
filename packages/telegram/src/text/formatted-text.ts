import type { MessageEntity } from "grammy/types";

/** Text as Telegram takes it: the characters, and which of them are bold, code, a quote and so on. */
export interface FormattedText {
  readonly text: string;
  /** Offsets and lengths are in UTF-16 code units, as in JavaScript. */
  readonly entities: readonly MessageEntity[];
}

/** Telegram's limit on the text of one message. It counts code points; counting code units only splits earlier. */
export const MESSAGE_LIMIT = 4096;

/** Telegram forgets the formatting of whatever comes after so many entities, and with it where links lead. */
export const MESSAGE_ENTITY_LIMIT = 100;
