/** What somebody wants of a running generation. */
export interface StopOrder {
  /**
   * - `stop`: end now;
   * - `finish-sentence`: end where the sentence ends;
   * - `skip-thinking`: leave the thinking and answer.
   */
  readonly mode: StopMode;
  /** Who or what wants it; an ending by this order has it as its detail. */
  readonly reason: StopReason;
}

/** The ways to stop. */
export const STOP_MODES = ["stop", "skip-thinking", "finish-sentence"] as const;

/** One of the ways to stop. */
export type StopMode = (typeof STOP_MODES)[number];

/** Who or what stops a generation. The list is open: a word of the caller's own is kept as it is. */
export type StopReason =
  | "user"
  | "new_message"
  | "disconnect"
  | "operator"
  | "deadline"
  | "shutdown"
  | (string & NonNullable<unknown>);
