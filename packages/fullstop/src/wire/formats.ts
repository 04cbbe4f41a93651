import { anthropicMessages } from "./anthropic-messages/format.ts";
import { bedrockConverse } from "./bedrock-converse/format.ts";
import { cohereChat } from "./cohere-chat/format.ts";
import type { AnswerFormat, RequestFormat, WireFormat, WireFormatName } from "./format.ts";
import { geminiInteractions } from "./gemini-interactions/format.ts";
import { gemini } from "./gemini/format.ts";
import { mistralChat } from "./mistral-chat/format.ts";
import { ollamaChat } from "./ollama-chat/format.ts";
import { openaiChat } from "./openai-chat/format.ts";
import { openaiCompletions } from "./openai-completions/format.ts";
import { openaiResponses } from "./openai-responses/format.ts";

/** The dialects that are read and written, by name. */
export const WIRE_FORMATS: Readonly<
  Record<"openai-chat" | "openai-responses" | "anthropic-messages" | "gemini", WireFormat>
> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  "anthropic-messages": anthropicMessages,
  gemini,
};

/** The dialects in which models can be asked, by name: those above, and Ollama's own. */
export const REQUEST_FORMATS: Readonly<Record<keyof typeof WIRE_FORMATS | "ollama-chat", RequestFormat>> = {
  ...WIRE_FORMATS,
  "ollama-chat": ollamaChat,
};

/** Every dialect whose answers can be read, by name. */
export const ANSWER_FORMATS: Readonly<Record<WireFormatName, AnswerFormat>> = {
  ...WIRE_FORMATS,
  "openai-completions": openaiCompletions,
  "gemini-interactions": geminiInteractions,
  "mistral-chat": mistralChat,
  "bedrock-converse": bedrockConverse,
  "ollama-chat": ollamaChat,
  "cohere-chat": cohereChat,
};
