import type { GenerationKey } from "fullstop/control";

/** The kinds of chats that Telegram has. */
export const CHAT_TYPES = ["private", "group", "supergroup", "channel"] as const;

/** One of the kinds of chats. */
export type ChatType = (typeof CHAT_TYPES)[number];

/**
 * Where one person talks to the bot. Each place has a conversation of its own and one answer at a time, so that a
 * stop in one topic does not reach another, nor one person of a group another person's answer.
 */
export interface Place {
  readonly chat: number;
  readonly chatType: ChatType;
  /** Who talks: a person, or the channel itself where nobody signs. */
  readonly user: number;
  /** The topic, where the chat has topics and this is not the general one. */
  readonly topic: number | undefined;
}

/** What the tracker knows the answers of a place by. */
export function keyOf({ chat, user, topic }: Place): GenerationKey {
  return [chat, user, topic];
}

/** A place as one word, by which what is kept of it is found again. */
export function nameOf({ chat, user, topic }: Place): string {
  return [chat, user, ...(topic === undefined ? [] : [topic])].join("_");
}

/** Whether a place, by its name, is somebody's. */
export function isOf(name: string, user: number): boolean {
  return name.split("_")[1] === String(user);
}

/** Whether a place, by its name, is in a chat. */
export function isIn(name: string, chat: number): boolean {
  return name.split("_", 1)[0] === String(chat);
}

/** Whose the recorded answers of a person in a chat are, whatever the topic; of this bot and no other. */
export function ownerOf(bot: number, { chat, user }: Pick<Place, "chat" | "user">): string {
  return `${ownerPrefixOf(bot)}${chat}:${user}`;
}

/** What the owners of all recorded answers of a bot begin with. */
export function ownerPrefixOf(bot: number): string {
  return `telegram:${bot}:`;
}
