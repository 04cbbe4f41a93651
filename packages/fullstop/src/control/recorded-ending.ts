import type { TerminationSignal } from "../termination.ts";

/** The end of a generation as its readers are to see it. */
export interface RecordedEnding {
  /** How it ended. */
  readonly signal: TerminationSignal;
  /** How many events come before the finish: fewer than there are where somebody else has ended it before them. */
  readonly events: number;
}

/** An ending on its way into the store, and those who wait for it. */
export interface Ending {
  readonly signal: TerminationSignal;
  readonly settled: Promise<RecordedEnding>;
  readonly settle: (ending: RecordedEnding) => void;
  /** When to give up on a store that does not take it. */
  readonly triedUntil: number;
}

/** Opens the wait for an ending to be recorded. */
export function createEnding(signal: TerminationSignal, triedUntil: number): Ending {
  let resolve: ((ending: RecordedEnding) => void) | undefined;
  const settled = new Promise<RecordedEnding>((settle) => (resolve = settle));
  return { signal, settled, settle: (ending) => resolve?.(ending), triedUntil };
}
