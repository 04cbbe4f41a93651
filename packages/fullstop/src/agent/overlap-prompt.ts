import { checkCount, checkNames } from "../check.ts";
import { invalidArgument } from "../errors.ts";
import type { UserMessage } from "../request.ts";
import { QUOTE_TAG } from "./quote-marks.ts";

/** What {@link continuationPrompt} says before it quotes the end of the answer, unless told otherwise. */
export const CONTINUATION_WORDING: string =
  "Your last answer was cut off. Its end is quoted below. Write what comes after it, beginning with the very next " +
  "character, even if that is in the middle of a word or a line. Do not repeat the quote, do not apologise, do not " +
  "sum up what was said, and do not say that you go on.";

/** How the rest of an answer is asked for. */
export interface ContinuationOptions {
  /** How many characters (UTF-16 code units) of the end are quoted at most. Default 1,200. */
  readonly tailLength?: number | undefined;
  /**
   * What is said before the quote, or a function that makes the whole text of the quote, in which delimiters have
   * been neutralised. Default {@link CONTINUATION_WORDING}.
   */
  readonly wording?: string | ((tail: string) => string) | undefined;
}

/** The message that asks the model for the rest of an answer that was cut off, of which `before` is what has come. */
export function continuationPrompt(before: string, options: ContinuationOptions = {}): UserMessage {
  checkNames("continuation", options, { tailLength: true, wording: true });
  const { tailLength = 1200, wording = CONTINUATION_WORDING } = options;
  checkCount("tailLength", tailLength, 1);
  if (typeof wording !== "string" && typeof wording !== "function") {
    throw invalidArgument("wording", "must be a text or a function", wording);
  }
  const tail = neutralise(tailOf(before, tailLength));
  // No line ends around the quote: whether the answer broke off before or after one has to be seen.
  const text = typeof wording === "string" ? `${wording}\n\n<${QUOTE_TAG}>${tail}</${QUOTE_TAG}>` : wording(tail);
  return { role: "user", content: [{ type: "text", text }] };
}

/** A `<` that begins the delimiter, however it is written. */
const DELIMITER = new RegExp(`<(?=\\s*/?\\s*${QUOTE_TAG})`, "gi");

/** The end of a text, without half a character at its beginning. */
function tailOf(text: string, length: number): string {
  const tail = text.slice(-length);
  const isHalf = tail.length < text.length && /^[\uDC00-\uDFFF]/.test(tail);
  return isHalf ? tail.slice(1) : tail;
}

/** An answer that spells out the delimiter must not end the quote. */
function neutralise(tail: string): string {
  return tail.replaceAll(DELIMITER, "&lt;");
}
