import type { Channel } from "../events.ts";
import type { TerminationSignal } from "../termination.ts";

/**
 * What a rule gets to see after each piece of output, with the counts as they are after it. The object is reused
 * from step to step, so a rule that wants to keep something copies it.
 */
export interface Step {
  readonly channel: Channel;
  readonly text: string;
  /** Empty where the source does not tell. */
  readonly tokenIds: readonly number[];
  /** Tokens so far, over all channels. A piece without token ids counts as one. */
  readonly tokens: number;
  /** Tokens so far in the reasoning channel. */
  readonly reasoningTokens: number;
  /** Characters (UTF-16 code units) of visible text so far. */
  readonly characters: number;
}

/**
 * A condition that is looked at once after each step. Rules of the caller's own have this shape too: `start` is
 * called for every generation, and what it returns answers undefined to go on, or the signal to end with.
 */
export interface StopRule {
  readonly name: string;
  start(): (step: Step) => TerminationSignal | undefined;
}
