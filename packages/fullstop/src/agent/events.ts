import type { TerminationDecision } from "../decide/decision.ts";
import type { GenerationEvent } from "../events.ts";
import type { ToolCallPart, ToolMessage } from "../request.ts";
import type { TerminationSignal } from "../termination.ts";
import type { AgentResult } from "./result.ts";
import type { DeliveryMode } from "./steering.ts";

/** What happens in a run, as the loop tells it. */
export type LoopEvent =
  /** The model is asked: for a new answer, or once more about the one that is on the screen. */
  | {
      readonly type: "turn-start";
      readonly turn: number;
      readonly model: string;
      /** Whose model it is, by the name that the client has for the provider; only a client knows that. */
      readonly provider?: string | undefined;
      readonly isNewAnswer: boolean;
    }
  /** All of the answer's visible text after its first `keep` characters is to be taken back; other text follows. */
  | { readonly type: "rewind"; readonly turn: number; readonly keep: number }
  /** A piece of the answer. The finish comes as a signal of its own. */
  | { readonly type: "generation"; readonly turn: number; readonly event: GenerationEvent }
  | { readonly type: "signal"; readonly turn: number; readonly signal: TerminationSignal }
  /** What is done about it: retries, continuations and all other actions are decisions. */
  | { readonly type: "decision"; readonly turn: number; readonly decision: TerminationDecision }
  /** The run waits before it asks again. */
  | { readonly type: "wait"; readonly turn: number; readonly milliseconds: number }
  /** Something is said to the model that nobody else has said. */
  | { readonly type: "nudge"; readonly turn: number; readonly rule: string }
  | { readonly type: "tool-start"; readonly turn: number; readonly call: ToolCallPart }
  | { readonly type: "tool-end"; readonly turn: number; readonly call: ToolCallPart; readonly result: ToolMessage }
  /** A message that came during the run has gone to the model, with the request that is being answered. */
  | { readonly type: "message-delivered"; readonly turn: number; readonly id: string; readonly mode: DeliveryMode }
  /** Somebody or something has stopped the run. */
  | { readonly type: "stop"; readonly turn: number; readonly detail: string }
  /** The run is over. Always the last event. */
  | { readonly type: "end"; readonly result: AgentResult };

/**
 * What happens in a run, in order, with the id of the run. Everything that is decided or done without being asked is
 * told, so that it can be shown, logged and counted.
 *
 * A viewer who adds the text of each generation, begins anew at a new answer and cuts at a rewind has the text of the
 * result on the screen at the end.
 */
export type AgentEvent = LoopEvent & { readonly runId: string };
