import { defineAnswerFormat } from "../reading/decode.ts";
import type { RequestFormat } from "../format.ts";
import { openOllamaReader } from "./decode-answer.ts";
import { encodeOllamaChatRequest } from "./encode-request.ts";

/** Ollama's own dialect: one JSON object a line, the last one with `done: true`. */
export const ollamaChat: RequestFormat = {
  ...defineAnswerFormat("ollama-chat", openOllamaReader),
  encodeRequest: encodeOllamaChatRequest,
};
