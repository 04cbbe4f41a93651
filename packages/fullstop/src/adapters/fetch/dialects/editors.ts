import type { GuardedFormat } from "../recognise-request.ts";
import { messagesEditor } from "./anthropic-messages.ts";
import type { AnswerEditor } from "./editor.ts";
import { geminiEditor } from "./gemini.ts";
import { chatEditor } from "./openai-chat.ts";
import { responsesEditor } from "./openai-responses.ts";

/** How answers are ended early, by dialect. */
export const EDITORS: Readonly<Record<GuardedFormat, AnswerEditor>> = {
  "openai-chat": chatEditor,
  "openai-responses": responsesEditor,
  "anthropic-messages": messagesEditor,
  gemini: geminiEditor,
};
