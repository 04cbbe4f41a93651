import type { TerminationReason, TerminationSignal } from "../../termination.ts";
import type { Warn } from "./options.ts";

/** How a dialect says why an answer ended. */
export interface FinishWord<Word> {
  readonly word: Word;
  /** What a reader of the word alone would take wrongly, in one sentence; absent when the word says it all. */
  readonly loss?: string;
}

/** A dialect's word for every reason. A reason that is added without one does not compile. */
export type FinishWords<Word> = Readonly<Record<TerminationReason, FinishWord<Word>>>;

/**
 * What a server has cut an answer for by itself: its own end, or the end of a time that it was given. An upstream that
 * says that it has aborted an answer says so to readers who have not left, and so have not wanted it.
 */
const CUT_BY_SERVER: ReadonlySet<string | undefined> = new Set([
  "shutdown",
  "owner_lost",
  "deadline",
  "aborted_by_provider",
]);

/**
 * Whether an answer was cut though nobody who waits for it wanted that. It must not read as whole, as one does that a
 * person has stopped, which clients must not continue by themselves.
 */
export function isCutByServer({ reason, detail }: TerminationSignal): boolean {
  return reason === "cancelled" && CUT_BY_SERVER.has(detail);
}

/**
 * Whether an answer asks for a call that is not whole. At the word for calls clients run what is there, some of them
 * with as much of the arguments as can be read, so another word has to stand there.
 */
export function asksForCutCall({ reason, detail }: TerminationSignal): boolean {
  return reason === "tool_calls" && detail === "incomplete_arguments";
}

/** Tells the caller what the finish value leaves unsaid, and returns that value. */
export function sayFinish<Word>({ word, loss }: FinishWord<Word>, warn: Warn): Word {
  if (loss !== undefined) warn("finish", loss);
  return word;
}

/**
 * The signal as it travels in the `fullstop` field of an answer. Metadata comes from outside and may hold what JSON
 * cannot; an answer must not fail at its last frame for that, so it goes without.
 */
export function toPortableSignal(signal: TerminationSignal): TerminationSignal {
  if (signal.providerSpecific.metadata === undefined) return signal;
  try {
    JSON.stringify(signal);
    return signal;
  } catch {
    // Refers to itself or holds a big integer; whatever it was, the rest of the signal can be written.
    const { originalField, originalValue } = signal.providerSpecific;
    return { ...signal, providerSpecific: { originalField, originalValue } };
  }
}
