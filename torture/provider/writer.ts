import type { Piece } from "../plan/content.ts";
import type { Dialect } from "../plan/kinds.ts";
import type { Plan } from "../plan/plan.ts";
import { createMessagesWriter } from "./dialects/anthropic-messages.ts";
import { createGeminiWriter } from "./dialects/gemini.ts";
import { createChatWriter } from "./dialects/openai-chat.ts";
import { createResponsesWriter } from "./dialects/openai-responses.ts";

/**
 * Writes an answer as providers of a dialect do. None of it comes from the library: a mistake that its encoders and
 * its decoders share would be seen here.
 */
export interface AnswerWriter {
  /** The frames of a piece, with those that have to come before it. */
  piece(piece: Piece): string;
  /** The frames of a good end. */
  finish(): string;
  /** The frames of an end by an error. */
  failure(): string;
  /** A frame that has a piece and the word of the end already, which is not the end. */
  pieceWithFinish(piece: Piece): string;
  /** The answer in one body, with some of its pieces. */
  whole(pieces: readonly Piece[]): object;
}

const WRITERS: Readonly<Record<Dialect, (plan: Plan) => AnswerWriter>> = {
  "openai-chat": createChatWriter,
  "openai-responses": createResponsesWriter,
  "anthropic-messages": createMessagesWriter,
  gemini: createGeminiWriter,
};

/** Creates the writer of one answer. */
export function createWriter(plan: Plan): AnswerWriter {
  return WRITERS[plan.provider](plan);
}
