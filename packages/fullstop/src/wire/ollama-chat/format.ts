import { defineAnswerFormat } from "../reading/decode.ts";
import type { AnswerFormat } from "../format.ts";
import { openOllamaReader } from "./decode-answer.ts";

/** Ollama's own dialect: one JSON object a line, the last one with `done: true`. */
export const ollamaChat: AnswerFormat = defineAnswerFormat("ollama-chat", openOllamaReader);
