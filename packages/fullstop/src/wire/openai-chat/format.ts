import { checkNames } from "../../check.ts";
import { defineAnswerFormat } from "../reading/decode.ts";
import type { WireFormat } from "../format.ts";
import { openChatReader } from "./decode-answer.ts";
import { decodeOpenaiChatRequest } from "./decode-request.ts";
import { encodeOpenaiChatError } from "./encode-error.ts";
import { encodeOpenaiChatRequest } from "./encode-request.ts";
import type { OpenaiChatVariant } from "./encode-request.ts";
import { encodeOpenaiChatResponse } from "./encode-response.ts";
import { encodeOpenaiChatStream } from "./encode-stream.ts";

const VARIANT_NAMES: Readonly<Record<keyof OpenaiChatVariant, true>> = {
  allowedTools: true,
  callIds: true,
  limitField: true,
  reasoningField: true,
  reasoningDetails: true,
  seedField: true,
  store: true,
  streamOptions: true,
  textTools: true,
  thoughtSignatures: true,
  toolTexts: true,
  topK: true,
  user: true,
};

/**
 * Describes Chat Completions as a provider takes it that differs from OpenAI. Only requests differ: answers are read
 * from whoever has written them, and written as OpenAI does.
 */
export function defineOpenaiChat(variant: OpenaiChatVariant = {}): WireFormat {
  checkNames("variant", variant, VARIANT_NAMES);
  return {
    ...defineAnswerFormat("openai-chat", openChatReader),
    decodeRequest: decodeOpenaiChatRequest,
    encodeRequest: (request) => encodeOpenaiChatRequest(request, variant),
    encodeStream: encodeOpenaiChatStream,
    encodeError: encodeOpenaiChatError,
    encodeResponse: encodeOpenaiChatResponse,
  };
}

/** Chat Completions as everybody understands it who speaks it. */
export const openaiChat: WireFormat = defineOpenaiChat();
