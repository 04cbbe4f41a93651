import { defineAnswerFormat } from "../reading/decode.ts";
import type { WireFormat } from "../format.ts";
import { openResponsesReader } from "./decode-answer.ts";
import { decodeOpenaiResponsesRequest } from "./decode-request.ts";
import { encodeOpenaiResponsesErrorBody } from "./encode-error.ts";
import { encodeOpenaiResponsesRequest } from "./encode-request.ts";
import { encodeOpenaiResponsesResponse } from "./encode-response.ts";
import { encodeOpenaiResponsesStream } from "./encode-stream.ts";

/** OpenAI Responses. */
export const openaiResponses: WireFormat = {
  ...defineAnswerFormat("openai-responses", openResponsesReader),
  decodeRequest: decodeOpenaiResponsesRequest,
  encodeRequest: encodeOpenaiResponsesRequest,
  encodeStream: encodeOpenaiResponsesStream,
  encodeError: encodeOpenaiResponsesErrorBody,
  encodeResponse: encodeOpenaiResponsesResponse,
};
