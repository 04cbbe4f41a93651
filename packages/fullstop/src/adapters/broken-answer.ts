import type { TerminationSignal } from "../termination.ts";

/**
 * What an answer fails with that did not come to its end: the connection was closed as if all were well, or a rule of
 * the caller's own has called it an error.
 *
 * Clients take a stream that just ends for one that is whole, except where they look for the last word themselves. An
 * error is what all of them report.
 */
export class BrokenAnswerError extends Error {
  readonly signal: TerminationSignal;

  constructor(signal: TerminationSignal) {
    super(signal.message ?? "The answer did not come to its end");
    this.name = "BrokenAnswerError";
    this.signal = signal;
  }
}
