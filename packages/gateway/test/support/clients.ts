import { chatClient } from "./clients/chat.ts";
import { geminiClient } from "./clients/gemini.ts";
import { messagesClient } from "./clients/messages.ts";
import type { Ask } from "./clients/question.ts";
import { responsesClient } from "./clients/responses.ts";
import type { Dialect } from "./dialects.ts";

/** The official client of each dialect, pointed at an address. */
export const CLIENTS: Readonly<Record<Dialect, (url: string, key?: string) => Ask>> = {
  "openai-chat": chatClient,
  "openai-responses": responsesClient,
  "anthropic-messages": messagesClient,
  gemini: geminiClient,
};
