export { anthropicMessages } from "./anthropic-messages/format.ts";
export { bedrockConverse } from "./bedrock-converse/format.ts";
export { cohereChat } from "./cohere-chat/format.ts";
export { listFinishWords } from "./reading/finish-words.ts";
export type { FinishMeaning } from "./reading/finish-words.ts";
export type {
  AnswerFormat,
  DecodeOptions,
  DecodedRequest,
  EncodeOptions,
  EncodedRequest,
  EncodedResponse,
  RequestFormat,
  RequestTarget,
  WireFormat,
  WireFormatName,
  WireWarning,
} from "./format.ts";
export { ANSWER_FORMATS, REQUEST_FORMATS, WIRE_FORMATS } from "./formats.ts";
export { geminiInteractions } from "./gemini-interactions/format.ts";
export { gemini } from "./gemini/format.ts";
export { decodeNdjson } from "./framing/json-values.ts";
export type { NdjsonOptions } from "./framing/json-values.ts";
export { mistralChat } from "./mistral-chat/format.ts";
export { ollamaChat } from "./ollama-chat/format.ts";
export type { OpenaiChatVariant } from "./openai-chat/encode-request.ts";
export { defineOpenaiChat, openaiChat } from "./openai-chat/format.ts";
export { openaiCompletions } from "./openai-completions/format.ts";
export type { OpenaiResponsesVariant } from "./openai-responses/encode-request.ts";
export { defineOpenaiResponses, openaiResponses } from "./openai-responses/format.ts";
export { tellGroup, toolGroupsOf } from "./openai-responses/tool-groups.ts";
export type { GroupedTool, ToolGroups } from "./openai-responses/tool-groups.ts";
export { decodeSse } from "./framing/sse.ts";
export type { ServerSentEvent, SseOptions } from "./framing/sse.ts";
