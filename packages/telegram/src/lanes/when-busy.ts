/** What becomes of a message that comes while an answer is being written. */
export type WhenBusy =
  /** The answer is stopped, quietly, and the message is answered next, with what was written so far in mind. */
  | "interrupt"
  /** The message is answered when the answer is done. */
  | "queue"
  /** Whoever wrote it is told to wait. */
  | "ignore";
