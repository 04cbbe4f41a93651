import { defineAnswerFormat } from "../reading/decode.ts";
import type { AnswerFormat } from "../format.ts";
import { ConverseBodyReader } from "./body.ts";
import { openConverseReader } from "./decode-answer.ts";

/** Bedrock's Converse and ConverseStream, whose stream is not text but AWS event-stream frames. */
export const bedrockConverse: AnswerFormat = defineAnswerFormat(
  "bedrock-converse",
  openConverseReader,
  (listener, maxEventSize) => new ConverseBodyReader(listener, maxEventSize),
);
