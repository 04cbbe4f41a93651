import type { InlineKeyboardMarkup, Message, Update } from "grammy/types";
import { lookOf } from "./state.ts";
import type { ChatState, StoredMessage, Topic } from "./state.ts";

/** A message as the Bot API writes it. */
export type WireMessage = Message.TextMessage & Update.NonChannel & Update.Edited;

/** Writes a message as the Bot API does. */
export function toWire(chat: ChatState, message: StoredMessage): WireMessage {
  const reply = replyOf(chat, message);
  return { ...bare(chat, message), ...(reply !== undefined && { reply_to_message: reply }) };
}

function bare(chat: ChatState, message: StoredMessage): WireMessage {
  const { text, entities, keyboard } = lookOf(message);
  const thread = message.topic?.id ?? message.threadRoot;
  const markup = { inline_keyboard: keyboard } as InlineKeyboardMarkup;
  return {
    message_id: message.id,
    // In a channel everything is written by the channel, also by the bot.
    ...(chat.chat.type === "channel" ? { sender_chat: chat.chat } : { from: message.from }),
    ...(message.senderChat !== undefined && { sender_chat: message.senderChat }),
    chat: chat.chat,
    date: message.date,
    ...(thread !== undefined && { message_thread_id: thread }),
    ...(message.topic !== undefined && { is_topic_message: true }),
    ...(message.editDate !== undefined && { edit_date: message.editDate }),
    text,
    ...(entities.length > 0 && { entities: [...entities] }),
    ...(keyboard.length > 0 && { reply_markup: markup }),
  } as WireMessage;
}

/** A message in a topic that answers no other is written as a reply to the message that opened the topic. */
function replyOf(chat: ChatState, message: StoredMessage): WireMessage["reply_to_message"] {
  if (message.replyTo !== undefined) return bare(chat, message.replyTo) as object as WireMessage["reply_to_message"];
  if (message.topic === undefined || chat.chat.type === "private") return undefined;
  return opening(chat, message.topic) as WireMessage["reply_to_message"];
}

function opening(chat: ChatState, topic: Topic): object {
  const owner = [...chat.members.values()].find(({ status }) => status === "creator")?.user;
  return {
    message_id: topic.id,
    message_thread_id: topic.id,
    is_topic_message: true,
    ...(owner !== undefined && { from: owner }),
    chat: chat.chat,
    date: 1,
    forum_topic_created: { name: topic.name, icon_color: 7322096 },
  };
}
