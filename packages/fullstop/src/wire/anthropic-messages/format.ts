import { defineAnswerFormat } from "../reading/decode.ts";
import type { WireFormat } from "../format.ts";
import { openMessagesReader } from "./decode-answer.ts";
import { decodeAnthropicMessagesRequest } from "./decode-request.ts";
import { encodeAnthropicMessagesError } from "./encode-error.ts";
import { encodeAnthropicMessagesRequest } from "./encode-request.ts";
import { encodeAnthropicMessagesResponse } from "./encode-response.ts";
import { encodeAnthropicMessagesStream } from "./encode-stream.ts";

/** Anthropic Messages. */
export const anthropicMessages: WireFormat = {
  ...defineAnswerFormat("anthropic-messages", openMessagesReader),
  decodeRequest: decodeAnthropicMessagesRequest,
  encodeRequest: encodeAnthropicMessagesRequest,
  encodeStream: encodeAnthropicMessagesStream,
  encodeError: encodeAnthropicMessagesError,
  encodeResponse: encodeAnthropicMessagesResponse,
};
