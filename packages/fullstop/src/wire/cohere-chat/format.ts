import { defineAnswerFormat } from "../reading/decode.ts";
import type { AnswerFormat } from "../format.ts";
import { openCohereReader } from "./decode-answer.ts";

/** Cohere's chat, second version. */
export const cohereChat: AnswerFormat = defineAnswerFormat("cohere-chat", openCohereReader);
