import { createTerminationSignal } from "fullstop";
import type { GenerationEvent, TerminationSignal } from "fullstop";

/** How much of what was generated is held in memory. */
export interface GenerationBounds {
  /** How many bytes one answer may have. One that is larger is ended there, with the detail `size`. */
  readonly answerBytes: number;
  /** How many answers that have ended are kept for late readers and late stops. */
  readonly keptAnswers: number;
  /** How many bytes they may have together. The last one is kept whatever its size. */
  readonly keptBytes: number;
  /** For how long each of them is kept. */
  readonly keptMilliseconds: number;
}

/**
 * The bounds that hold where nothing else is configured. An answer of 128,000 tokens, the longest that models give
 * today, takes about 12 MB in events of one token.
 */
export const DEFAULT_BOUNDS: GenerationBounds = {
  answerBytes: 32 * 1024 * 1024,
  keptAnswers: 1000,
  keptBytes: 32 * 1024 * 1024,
  keptMilliseconds: 600_000,
};

/** What an event takes in memory beside its text, as measured: the object, the head of its string, its place. */
const EVENT_BYTES = 80;

/** About how many bytes an event takes in memory. */
export function bytesOf(event: GenerationEvent): number {
  switch (event.type) {
    case "text":
      return EVENT_BYTES + 2 * event.text.length;
    case "reasoning":
      return EVENT_BYTES + 2 * (event.text.length + (event.signature?.length ?? 0));
    case "tool-call-delta":
      return EVENT_BYTES + 2 * event.json.length;
    case "opaque":
      return EVENT_BYTES + 2 * JSON.stringify([event.value]).length;
    default:
      return EVENT_BYTES;
  }
}

/** The end of an answer that is larger than the gateway holds. */
export function tooLargeSignal(answerBytes: number): TerminationSignal {
  return createTerminationSignal({
    reason: "budget_exceeded",
    detail: "size",
    originalField: "answer_bytes",
    originalValue: String(answerBytes),
    message: `The answer is larger than the ${answerBytes} bytes that the gateway holds of one`,
  });
}
