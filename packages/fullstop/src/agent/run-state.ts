import type { SuggestedAction } from "../decide/decision.ts";
import type { Message } from "../request.ts";
import type { AnswerPart } from "./answer.ts";

/** Where a run stands between two answers. */
export interface RunState {
  /** What has been said for good. */
  readonly messages: readonly Message[];
  /** An answer that is being put together from several: what came of it so far. */
  readonly draft: readonly AnswerPart[];
  /** Whether the model was asked for the rest of the draft in words, and so may repeat its end. */
  readonly isContinued: boolean;
  /**
   * What stood behind the draft and was put aside for something better: an answer that was cut, or the end of one that
   * is to be written again. It is still good if nothing better comes.
   */
  readonly spare: readonly AnswerPart[];
  /** What is said to the model with the next request only, after the messages. */
  readonly notes: readonly Message[];
  /** How often each action was taken since the last answer that was accepted; rounds of tools over the whole run. */
  readonly attempts: Readonly<Partial<Record<SuggestedAction, number>>>;
  /** The output limit after it was raised. */
  readonly maxOutputTokens: number | undefined;
  readonly model: "main" | "fallback";
  /** How many answers in a row held nothing but calls that were cut. */
  readonly cutRounds: number;
  /** Whether the run is done but for what was written in the meantime. */
  readonly hearsFollowUps: boolean;
}

/** A conversation at its beginning. */
export function createRunState(messages: readonly Message[]): RunState {
  return {
    messages,
    draft: [],
    isContinued: false,
    spare: [],
    notes: [],
    attempts: {},
    maxOutputTokens: undefined,
    model: "main",
    cutRounds: 0,
    hearsFollowUps: false,
  };
}
