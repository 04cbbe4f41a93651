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

/**
 * The command that a message is, in small letters: telephones begin sentences with capital ones. Undefined if it is
 * none, or one for another bot.
 */
export function commandOf(context: Context, message: Message): string | undefined {
  const { name, bot } = readCommand(message);
  return bot === undefined || bot === context.me.username.toLowerCase() ? name : undefined;
}

/** Whether a message is for the bot: in a group it is named in it, or one of its messages is answered. */
export function isAddressed(context: Context, message: Message): boolean {
  if (isCommandForOthers(context, message) || isFromBot(message)) return false;
  if (message.chat.type === "private") return true;
  const answered = message.reply_to_message;
  // In a topic everything is an answer to its beginning, which says nothing about whom it is for.
  if (answered?.from?.id === context.me.id && answered.forum_topic_created === undefined) return true;
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
function isCommandForOthers(context: Context, message: Message): boolean {
  return readCommand(message).name !== undefined && commandOf(context, message) === undefined;
}

/** The command at the beginning of a message, and the bot that it names if it does. */
function readCommand({ text = "", entities = [] }: Message): { readonly name?: string; readonly bot?: string } {
  const command = entities.find(({ type, offset }) => type === "bot_command" && offset === 0);
  if (command === undefined) return {};
  const [name = "", bot] = text.slice(1, command.length).toLowerCase().split("@");
  return { name, ...(bot !== undefined && { bot }) };
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
