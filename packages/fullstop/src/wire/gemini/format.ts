import { defineAnswerFormat } from "../reading/decode.ts";
import type { WireFormat } from "../format.ts";
import { openGeminiReader } from "./decode-answer.ts";
import { decodeGeminiRequest } from "./decode-request.ts";
import { encodeGeminiError } from "./encode-error.ts";
import { encodeGeminiRequest } from "./encode-request.ts";
import { encodeGeminiResponse } from "./encode-response.ts";
import { encodeGeminiStream } from "./encode-stream.ts";

/** Gemini generateContent and streamGenerateContent. */
export const gemini: WireFormat = {
  ...defineAnswerFormat("gemini", openGeminiReader),
  decodeRequest: decodeGeminiRequest,
  encodeRequest: encodeGeminiRequest,
  encodeStream: encodeGeminiStream,
  encodeError: encodeGeminiError,
  encodeResponse: encodeGeminiResponse,
};
