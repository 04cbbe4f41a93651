import type { Context } from "grammy";
import type { Message } from "grammy/types";
import type { Place } from "../place.ts";

/** Where a message was written, and by whom. */
export function placeOf(message: Message): Place {
  const { chat, from, sender_chat: senderChat } = message;
  return {
    chat: chat.id,
    chatType: chat.type,
    // Channels, and people who write in the name of one, have no person to them.
    user: senderChat?.id ?? from?.id ?? chat.id,
    // In groups without topics replies have a thread, too, which is none.
    topic: message.is_topic_message === true ? message.message_thread_id : undefined,
  };
}

/** Whether a message is for the bot: in a group it is named in it, or one of its messages is answered. */
export function isAddressed(context: Context, message: Message): boolean {
  if (isCommandForOthers(message, context.me.username) || isFromBot(message)) return false;
  if (message.chat.type === "private") return true;
  if (message.reply_to_message?.from?.id === context.me.id) return true;
  return mentionsOf(message, context.me.username).length > 0;
}

/** What was written to the bot, without its name; undefined if there is no text. */
export function wordsOf(context: Context, message: Message): string | undefined {
  const text = message.text ?? message.caption;
  if (text === undefined) return undefined;
  const mentions = mentionsOf(message, context.me.username);
  const without = mentions.reduceRight((rest, [from, to]) => rest.slice(0, from) + rest.slice(to), text);
  return without.trim() === "" ? undefined : without.trim();
}

/** Two bots that answer each other would never stop. Those who write in the name of a chat count as that chat. */
function isFromBot({ from, sender_chat: senderChat }: Message): boolean {
  return from?.is_bot === true && senderChat === undefined;
}

/** Whether a message is a command that names another bot. */
function isCommandForOthers({ text = "", entities = [] }: Message, username: string): boolean {
  const command = entities.find(({ type, offset }) => type === "bot_command" && offset === 0);
  const name = command && text.slice(0, command.length).split("@")[1];
  return name !== undefined && name.toLowerCase() !== username.toLowerCase();
}

/** Where the bot is named in a text. */
function mentionsOf(message: Message, username: string): readonly (readonly [from: number, to: number])[] {
  const text = message.text ?? message.caption ?? "";
  const entities = message.entities ?? message.caption_entities ?? [];
  const name = `@${username}`.toLowerCase();
  return entities
    .filter(({ type }) => type === "mention")
    .map(({ offset, length }) => [offset, offset + length] as const)
    .filter(([from, to]) => text.slice(from, to).toLowerCase() === name);
}
