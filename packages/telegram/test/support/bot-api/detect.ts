import type { MessageEntity } from "grammy/types";

const DETECTED = [
  { type: "bot_command", pattern: /(?<![\w/<>@])\/[a-zA-Z0-9_]{1,64}(?:@[a-zA-Z][a-zA-Z0-9_]{2,31})?(?![\w/])/g },
  { type: "mention", pattern: /(?<![\w/])@[a-zA-Z][a-zA-Z0-9_]{2,31}(?!\w)/g },
] as const;

const SERVER_TYPES = new Set(["mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number"]);

/** What Telegram makes clickable in a text without being asked: commands and mentions. (Links too, but not here.) */
export function detectEntities(text: string): readonly MessageEntity[] {
  return DETECTED.flatMap(({ type, pattern }) =>
    Array.from(text.matchAll(pattern), (match) => ({ type, offset: match.index, length: match[0].length })),
  );
}

/** Whether a type of entity is found by the server itself. It takes no notice of those that a bot sends. */
export function isDetected(type: string): boolean {
  return SERVER_TYPES.has(type);
}
