import { defineAnswerFormat } from "../reading/decode.ts";
import type { AnswerFormat } from "../format.ts";
import { openInteractionsReader } from "./decode-answer.ts";

/** Google's Interactions. */
export const geminiInteractions: AnswerFormat = defineAnswerFormat("gemini-interactions", openInteractionsReader);
