import type {
  BotCommand,
  ChatFullInfo,
  ChatMember,
  ChatMemberAdministrator,
  ChatMemberOwner,
  User,
} from "grammy/types";
import { chatOf } from "./house.ts";
import type { MethodTable } from "./methods.ts";
import { isRecord } from "./parameters.ts";
import { badRequest } from "./refusal.ts";

const TOAST_LIMIT = 200;

/** Methods about people, chats and the bot itself. */
export const CHAT_METHODS: Pick<
  MethodTable,
  "getMe" | "getChat" | "getChatMember" | "getChatAdministrators" | "answerCallbackQuery" | "setMyCommands"
> = {
  getMe: { parameters: [], run: (_parameters, { world }) => world.bot },

  getChat: {
    parameters: ["chat_id"],
    run(parameters, house) {
      const { chat } = chatOf(house, parameters);
      return { ...chat, accent_color_id: 0, max_reaction_count: 11 } as ChatFullInfo;
    },
  },

  getChatMember: {
    parameters: ["chat_id", "user_id"],
    run(parameters, house) {
      const chat = chatOf(house, parameters);
      const id = parameters.integer("user_id") ?? 0;
      const member = chat.members.get(id);
      if (member !== undefined) return memberOf(member.status, member.user);
      const stranger = house.world.people.get(id);
      if (stranger === undefined) throw badRequest("PARTICIPANT_ID_INVALID");
      return { status: "left", user: stranger };
    },
  },

  getChatAdministrators: {
    parameters: ["chat_id"],
    run(parameters, house) {
      const chat = chatOf(house, parameters);
      if (chat.chat.type === "private") throw badRequest("there are no administrators in the private chat");
      // Telegram leaves out other bots, and lists the bot itself.
      return [...chat.members.values()]
        .filter(({ status }) => status !== "member")
        .map(({ status, user }) => memberOf(status, user) as ChatMemberOwner | ChatMemberAdministrator);
    },
  },

  answerCallbackQuery: {
    parameters: ["callback_query_id", "text", "show_alert", "cache_time"],
    run(parameters, { world }) {
      const press = world.presses.get(parameters.text("callback_query_id") ?? "");
      if (press === undefined || press.toast !== undefined) {
        throw badRequest("query is too old and response timeout expired or query ID is invalid");
      }
      const text = parameters.text("text") ?? "";
      if ([...text].length > TOAST_LIMIT) throw badRequest("MESSAGE_TOO_LONG");
      const toast = { to: press.by, text, isAlert: parameters.flag("show_alert") };
      press.toast = toast;
      world.toasts.push(toast);
      return true;
    },
  },

  setMyCommands: {
    parameters: ["commands", "scope", "language_code"],
    run(parameters, { world }) {
      const commands = (parameters.list("commands") ?? []).map(acceptCommand);
      if (commands.length > 100) throw badRequest("BOT_COMMANDS_TOO_MUCH");
      const scope = parameters.object("scope") ?? { type: "default" };
      const languageCode = parameters.text("language_code");
      world.commands.push({ scope, languageCode, commands });
      return true;
    },
  },
};

function acceptCommand(value: unknown): BotCommand {
  const { command, description } = isRecord(value) ? value : {};
  if (typeof command !== "string" || !/^[a-z0-9_]{1,32}$/.test(command)) throw badRequest("BOT_COMMAND_INVALID");
  if (typeof description !== "string" || description === "" || description.length > 256) {
    throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
  }
  return { command, description };
}

function memberOf(status: "creator" | "administrator" | "member", user: User): ChatMember {
  if (status === "member") return { status, user };
  if (status === "creator") return { status, user, is_anonymous: false };
  return {
    status,
    user,
    can_be_edited: false,
    is_anonymous: false,
    can_manage_chat: true,
    can_delete_messages: true,
    can_manage_video_chats: false,
    can_restrict_members: true,
    can_promote_members: false,
    can_change_info: false,
    can_invite_users: true,
    can_post_stories: false,
    can_edit_stories: false,
    can_delete_stories: false,
    can_send_welcome_messages: false,
  };
}
