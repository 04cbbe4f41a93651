import type { ApiMethods, Opts } from "grammy/types";
import type { House } from "./house.ts";
import type { Parameters } from "./parameters.ts";

/** The methods that are known here. */
export type MethodName =
  | "getMe"
  | "getUpdates"
  | "setWebhook"
  | "deleteWebhook"
  | "getWebhookInfo"
  | "sendMessage"
  | "editMessageText"
  | "editMessageReplyMarkup"
  | "deleteMessage"
  | "deleteMessages"
  | "answerCallbackQuery"
  | "sendChatAction"
  | "sendMessageDraft"
  | "getChat"
  | "getChatMember"
  | "getChatAdministrators"
  | "setMyCommands";

type Result<M extends MethodName> = ReturnType<ApiMethods[M]>;

/** A method: the parameters that it takes here, and what it does. */
interface Method<M extends MethodName> {
  readonly parameters: readonly (keyof Opts<M>)[];
  /** Carries a call out. The signal is raised when whoever called is gone. */
  run(parameters: Parameters, house: House, gone: AbortSignal): Result<M> | Promise<Result<M>>;
}

/** The methods by name. */
export type MethodTable = { readonly [M in MethodName]: Method<M> };
