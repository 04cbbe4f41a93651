import { isDeepStrictEqual } from "node:util";
import { chatOf, openChatOf, ownMessageOf, repliedOf, topicOf } from "./house.ts";
import type { House } from "./house.ts";
import { acceptKeyboard } from "./markup.ts";
import type { MethodTable } from "./methods.ts";
import type { Parameters } from "./parameters.ts";
import { badRequest } from "./refusal.ts";
import { addMessage, changeLook, findMessage, lookOf } from "./state.ts";
import type { ChatState, Look, StoredMessage } from "./state.ts";
import { acceptDraftText, acceptText } from "./text.ts";
import { toWire } from "./wire-message.ts";

const DRAFT_LIFETIME_MS = 30_000;
const CHAT_ACTIONS = new Set([
  "typing",
  "upload_photo",
  "record_video",
  "upload_video",
  "record_voice",
  "upload_voice",
  "upload_document",
  "choose_sticker",
  "find_location",
  "record_video_note",
  "upload_video_note",
]);

/** Methods that write in a chat, change what is written there, or take it away. */
export const MESSAGE_METHODS: Pick<
  MethodTable,
  | "sendMessage"
  | "editMessageText"
  | "editMessageReplyMarkup"
  | "deleteMessage"
  | "deleteMessages"
  | "sendMessageDraft"
  | "sendChatAction"
> = {
  sendMessage: {
    parameters: [
      "chat_id",
      "message_thread_id",
      "text",
      "entities",
      "link_preview_options",
      "disable_notification",
      "protect_content",
      "reply_parameters",
      "reply_markup",
    ],
    run(parameters, house) {
      const chat = openChatOf(house, parameters);
      const replyTo = repliedOf(chat, parameters);
      const topic = topicOf(chat, parameters) ?? replyTo?.topic;
      const written = acceptText(parameters.text("text") ?? "", parameters.list("entities") ?? []);
      const look = { ...written, keyboard: acceptKeyboard(parameters.object("reply_markup")) };
      const message = addMessage(house.world, chat, { from: house.world.bot, look, topic, replyTo });
      chat.drafts.delete(topic?.id ?? 0);
      chat.counts.sent += 1;
      return toWire(chat, message);
    },
  },

  editMessageText: {
    parameters: ["chat_id", "message_id", "text", "entities", "link_preview_options", "reply_markup"],
    run(parameters, house) {
      const chat = openChatOf(house, parameters);
      const message = ownMessageOf(house, chat, parameters);
      const written = acceptText(parameters.text("text") ?? "", parameters.list("entities") ?? [], "MESSAGE_TOO_LONG");
      return edit(house, chat, message, { ...written, keyboard: acceptKeyboard(parameters.object("reply_markup")) });
    },
  },

  editMessageReplyMarkup: {
    parameters: ["chat_id", "message_id", "reply_markup"],
    run(parameters, house) {
      const chat = openChatOf(house, parameters);
      const message = ownMessageOf(house, chat, parameters);
      return edit(house, chat, message, {
        ...lookOf(message),
        keyboard: acceptKeyboard(parameters.object("reply_markup")),
      });
    },
  },

  deleteMessage: {
    parameters: ["chat_id", "message_id"],
    run(parameters, house) {
      const chat = chatOf(house, parameters);
      const message = findMessage(chat, parameters.integer("message_id"));
      if (message === undefined) throw badRequest("message to delete not found");
      remove(house, chat, message);
      return true;
    },
  },

  deleteMessages: {
    parameters: ["chat_id", "message_ids"],
    run(parameters, house) {
      const chat = chatOf(house, parameters);
      const ids = parameters.list("message_ids") ?? [];
      if (ids.length === 0) throw badRequest("message identifiers are not specified");
      if (ids.length > 100) throw badRequest("too many message identifiers specified");
      // As documented, those that are not found are skipped.
      for (const id of ids) {
        const message = findMessage(chat, Number(id));
        if (message !== undefined) remove(house, chat, message);
      }
      return true;
    },
  },

  sendMessageDraft: {
    parameters: ["chat_id", "message_thread_id", "draft_id", "text", "entities", "can_stop", "keep_on_stop"],
    run: sendDraft,
  },

  sendChatAction: {
    parameters: ["chat_id", "message_thread_id", "action"],
    run(parameters, house) {
      const chat = openChatOf(house, parameters);
      const action = parameters.text("action") ?? "";
      if (!CHAT_ACTIONS.has(action)) throw badRequest("wrong parameter action in request");
      chat.actions.push({ action, topic: topicOf(chat, parameters) });
      return true;
    },
  },
};

function edit(house: House, chat: ChatState, message: StoredMessage, look: Look): ReturnType<typeof toWire> {
  if (isDeepStrictEqual(look, lookOf(message))) {
    throw badRequest(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  }
  changeLook(house.world, message, look);
  chat.counts.edited += 1;
  return toWire(chat, message);
}

function remove({ world }: House, chat: ChatState, message: StoredMessage): void {
  const isAdmin = chat.members.get(world.bot.id)?.status === "administrator";
  const mayDelete = message.from.id === world.bot.id || chat.chat.type === "private" || isAdmin;
  if (!mayDelete) throw badRequest("message can't be deleted");
  message.isGone = true;
  chat.counts.deleted += 1;
}

function sendDraft(parameters: Parameters, house: House): true {
  const chat = openChatOf(house, parameters);
  if (chat.chat.type !== "private") throw badRequest("TEXTDRAFT_PEER_INVALID");
  const id = parameters.integer("draft_id") ?? 0;
  if (id === 0) throw badRequest("RANDOM_ID_INVALID");
  const topic = topicOf(chat, parameters);
  const written = acceptDraftText(parameters.text("text") ?? "", parameters.list("entities") ?? []);
  chat.drafts.set(topic?.id ?? 0, {
    id,
    ...written,
    canStop: parameters.flag("can_stop"),
    keepOnStop: parameters.flag("keep_on_stop"),
    isStopped: false,
    expiresAt: house.world.now() + DRAFT_LIFETIME_MS,
  });
  chat.counts.drafts += 1;
  return true;
}
