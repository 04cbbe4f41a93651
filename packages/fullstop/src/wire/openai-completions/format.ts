import { defineAnswerFormat } from "../reading/decode.ts";
import type { AnswerFormat } from "../format.ts";
import { openCompletionsReader } from "./decode-answer.ts";

/** OpenAI's legacy Completions, and the native text routes of the servers that grew beside it. */
export const openaiCompletions: AnswerFormat = defineAnswerFormat("openai-completions", openCompletionsReader);
