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

/** A full stop, in whatever script, with what may close behind it; or the end of a line. */
const END = /[.!?…。！？؟।][\p{Pe}\p{Pf}"'*_]*\s*$|\n\s*$/u;

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
        const isEnd = step.channel !== "tool-arguments" && END.test(step.text);
        return isEnd || piecesLeft <= 0 ? signal : undefined;
      },
    },
  };
}
