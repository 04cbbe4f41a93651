import { defineAnswerFormat } from "../reading/decode.ts";
import type { AnswerFormat } from "../format.ts";
import { openChatReader } from "../openai-chat/decode-answer.ts";

/**
 * Mistral's chat: Chat Completions whose content may be a list of parts, thinking among them, and whose answer may be
 * several messages. The reader of Chat Completions takes both.
 */
export const mistralChat: AnswerFormat = defineAnswerFormat("mistral-chat", openChatReader);
