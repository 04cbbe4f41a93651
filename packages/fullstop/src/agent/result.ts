import type { TerminationDecision } from "../decide/decision.ts";
import type { RequestWarning } from "../engine.ts";
import type { Usage } from "../events.ts";
import type { Message, ToolCallPart, ToolMessage } from "../request.ts";
import type { TerminationSignal } from "../termination.ts";
import type { ReachedLimit } from "./limits.ts";
import type { QueuedMessage } from "./steering.ts";

/** Why a run is over. */
export type AgentEnd =
  /** The last answer is final. */
  | "completed"
  /** Somebody has stopped it. */
  | "stopped"
  /** The provider or the model would not answer. */
  | "refused"
  /** The last answer is not whole, or nobody knows whether it is, and all that may be done about it was done. */
  | "incomplete"
  /** The conversation does not fit into the model's context any more. */
  | "context_full"
  /** The model made the same calls with the same results again and again. */
  | "repeated_calls"
  /** An error that cannot be helped, or could not be helped often enough. */
  | "failed"
  | ReachedLimit;

/** A call and what came of it. */
export interface FinishedCall {
  readonly call: ToolCallPart;
  readonly result: ToolMessage;
}

/** What a run has come to. */
export interface AgentResult {
  readonly end: AgentEnd;
  /** The text of the answer that was under way at the end, put together if it came in several. */
  readonly text: string;
  readonly reasoning: string;
  /** The conversation, ready to be sent again with another message. */
  readonly messages: readonly Message[];
  /** What all the answers have cost. It is an estimate if one of them came without counts. */
  readonly usage: Usage;
  readonly turns: number;
  /** The calls that were answered, in the order in which they were made. */
  readonly toolCalls: readonly FinishedCall[];
  readonly milliseconds: number;
  /** How each answer ended, in order. */
  readonly signals: readonly TerminationSignal[];
  /** What was decided after each. */
  readonly decisions: readonly TerminationDecision[];
  /** What of the requests the models could not be told, such as a setting that a provider does not have. */
  readonly warnings: readonly RequestWarning[];
  /** Messages that came during the run and did not reach the model. */
  readonly queued: readonly QueuedMessage[];
}
