import { badRequest, Refusal } from "./refusal.ts";
import { findMessage } from "./state.ts";
import type { ChatState, StoredMessage, Topic, World } from "./state.ts";
import type { Parameters } from "./parameters.ts";
import type { UpdateQueue } from "./updates.ts";
import type { Webhook } from "./webhook.ts";

/** What methods work on. */
export interface House {
  readonly world: World;
  readonly updates: UpdateQueue;
  readonly webhook: Webhook;
}

/** The chat that a call is about. */
export function chatOf({ world }: House, parameters: Parameters): ChatState {
  const raw = parameters.raw["chat_id"] ?? "";
  if (raw === "") throw badRequest("chat_id is empty");
  const chat = world.chats.get(Number(raw));
  if (chat === undefined) throw badRequest("chat not found");
  return chat;
}

/** The chat that a call would write in, unless its person has blocked the bot. */
export function openChatOf(house: House, parameters: Parameters): ChatState {
  const chat = chatOf(house, parameters);
  if (chat.isBlocked) throw new Refusal(403, "Forbidden: bot was blocked by the user");
  return chat;
}

/**
 * The topic that a call is about. The general topic of a forum has no id, and threads of replies in groups without
 * topics are not topics, although their messages carry a `message_thread_id`.
 */
export function topicOf(chat: ChatState, parameters: Parameters): Topic | undefined {
  const id = parameters.integer("message_thread_id");
  if (id === undefined) return undefined;
  const topic = chat.topics.find((candidate) => candidate.id === id);
  if (topic === undefined) throw badRequest("message thread not found");
  return topic;
}

/** The message of the bot that a call would change. */
export function ownMessageOf({ world }: House, chat: ChatState, parameters: Parameters): StoredMessage {
  const id = parameters.integer("message_id");
  if (id === undefined) throw badRequest("message identifier is not specified");
  const message = findMessage(chat, id);
  if (message === undefined) throw badRequest("message to edit not found");
  if (message.from.id !== world.bot.id) throw badRequest("message can't be edited");
  return message;
}

/** The message that a new one answers. */
export function repliedOf(chat: ChatState, parameters: Parameters): StoredMessage | undefined {
  const reply = parameters.object("reply_parameters");
  if (reply === undefined) return undefined;
  const stranger = Object.keys(reply).find((name) => !["message_id", "allow_sending_without_reply"].includes(name));
  if (stranger !== undefined) throw badRequest(`reply_parameters have no field "${stranger}" here`);
  const id = Number(reply["message_id"]);
  if (!Number.isInteger(id) || id < 1) throw badRequest("message identifier is not specified");
  const message = findMessage(chat, id);
  if (message === undefined && reply["allow_sending_without_reply"] !== true) {
    throw badRequest("message to be replied not found");
  }
  return message;
}
