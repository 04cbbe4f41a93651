import { defineAnswerFormat } from "../reading/decode.ts";
import type { WireFormat } from "../format.ts";
import { openChatReader } from "./decode-answer.ts";
import { decodeOpenaiChatRequest } from "./decode-request.ts";
import { encodeOpenaiChatRequest } from "./encode-request.ts";
import { encodeOpenaiChatResponse } from "./encode-response.ts";
import { encodeOpenaiChatStream } from "./encode-stream.ts";

/** OpenAI Chat Completions, and everybody who speaks it. */
export const openaiChat: WireFormat = {
  ...defineAnswerFormat("openai-chat", openChatReader),
  decodeRequest: decodeOpenaiChatRequest,
  encodeRequest: encodeOpenaiChatRequest,
  encodeStream: encodeOpenaiChatStream,
  encodeResponse: encodeOpenaiChatResponse,
};
