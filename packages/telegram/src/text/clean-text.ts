/** What Telegram takes out of a message by itself. */
const REMOVED = /[\r\u2028-\u202E]|\u030A|\u0333|\u033F/gu;
/** Telegram makes most control characters spaces. The others show nothing either. */
const CONTROL = /[^\P{Cc}\n]/gu;
const NEEDS_CLEANING = /[^\P{Cc}\n]|[\u200E\u200F\u2028-\u202E]|\u030A|\u0333|\u033F/u;
/** Of several direction marks in a row Telegram keeps only the last. */
const REPEATED_DIRECTION_MARK = /[\u200E\u200F](?=[\u200E\u200F])/gu;
/** A message of nothing but these is refused as empty. */
const INVISIBLE = /^[\s\u180E\u200B-\u200F\u202E\u2060\u2800\uFEFF\uFFFC\u{E0000}-\u{E007F}]*$/u;

/**
 * Text without the characters that Telegram would change, so that what is sent is what is stored. Whoever compares
 * an answer with the message it became, to spare an edit, compares the same characters.
 */
export function cleanText(text: string): string {
  if (!NEEDS_CLEANING.test(text)) return text;
  return text.replace(REMOVED, "").replace(CONTROL, " ").replace(REPEATED_DIRECTION_MARK, "\u200C");
}

/** Whether there is nothing in a text that could be seen: Telegram refuses such a message as empty. */
export function isBlank(text: string): boolean {
  return INVISIBLE.test(text);
}

/** Whether nothing would be seen of a text as a model has written it, once Telegram has taken out what it does not show. */
export function isUnseen(text: string): boolean {
  return isBlank(cleanText(text));
}
