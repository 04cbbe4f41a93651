import { cancelledSignal } from "fullstop";
import type { StopRule, TerminationSignal } from "fullstop";

/** How many more pieces an answer may take to come to the end of its sentence. */
const MOST_PIECES = 200;

/** A stop that waits for the end of the sentence. */
export interface SentenceEnd {
  /** Asks for the stop. The detail says who or what asked. */
  request(detail: string): void;
  /** The rule that carries it out. */
  readonly rule: StopRule;
}

const FULL_STOPS: ReadonlySet<string> = new Set(".!?…。！？؟।");

/** What may close behind a full stop. */
const CLOSING = /^[\p{Pe}\p{Pf}"'*_]$/u;

/**
 * Whether a text ends with a full stop, in whatever script, with what may close behind it; or with the end of a line.
 * It is looked at from its end: a pattern would begin at each of a million line ends.
 */
function endsSentence(text: string): boolean {
  const words = text.trimEnd();
  if (text.includes("\n", words.length)) return true;
  let end = words.length;
  while (end > 0 && CLOSING.test(words.charAt(end - 1))) end -= 1;
  return FULL_STOPS.has(words.charAt(end - 1));
}

/** Creates a stop for one generation that takes effect where a sentence ends, or after a while. */
export function createSentenceEnd(): SentenceEnd {
  let signal: TerminationSignal | undefined;
  let piecesLeft = MOST_PIECES;
  return {
    request(detail) {
      signal ??= cancelledSignal(detail);
    },
    rule: {
      name: "finish_sentence",
      start: () => (step) => {
        if (signal === undefined) return undefined;
        piecesLeft -= 1;
        // What looks like an end of a sentence in a tool's arguments would leave half a call.
        const isEnd = step.channel !== "tool-arguments" && endsSentence(step.text);
        return isEnd || piecesLeft <= 0 ? signal : undefined;
      },
    },
  };
}
