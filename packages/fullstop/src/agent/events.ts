import type { TerminationDecision } from "../decide/decision.ts";
import type { GenerationEvent } from "../events.ts";
import type { ToolCallPart, ToolMessage } from "../request.ts";
import type { TerminationSignal } from "../termination.ts";
import type { AgentResult } from "./result.ts";
import type { DeliveryMode } from "./steering.ts";

/**
 * How a viewer has to take the answer that begins: as a new one, as the rest of the one before, or in place of the one
 * before, of which everything is to be taken back.
 */
export type ViewerMode = "new" | "append" | "replace";

/**
 * What happens in a run, in order. Everything that is decided or done without being asked is told, so that it can be
 * shown, logged and counted.
 */
export type AgentEvent =
  /** The model is asked. */
  | { readonly type: "turn-start"; readonly turn: number; readonly model: string; readonly viewer: ViewerMode }
  /** A piece of its answer. The finish comes as a signal of its own. */
  | { readonly type: "generation"; readonly turn: number; readonly event: GenerationEvent }
  | { readonly type: "signal"; readonly turn: number; readonly signal: TerminationSignal }
  | { readonly type: "decision"; readonly turn: number; readonly decision: TerminationDecision }
  /** The run waits before it asks again. */
  | { readonly type: "wait"; readonly turn: number; readonly milliseconds: number }
  /** Something is said to the model that nobody else has said. */
  | { readonly type: "nudge"; readonly turn: number; readonly rule: string }
  | { readonly type: "tool-start"; readonly turn: number; readonly call: ToolCallPart }
  | { readonly type: "tool-end"; readonly turn: number; readonly call: ToolCallPart; readonly result: ToolMessage }
  /** A message that came during the run reaches the model with the next request. */
  | { readonly type: "message-delivered"; readonly turn: number; readonly id: string; readonly mode: DeliveryMode }
  /** Somebody has stopped the run. */
  | { readonly type: "stop"; readonly turn: number; readonly detail: string }
  /** The run is over. Always the last event. */
  | { readonly type: "end"; readonly result: AgentResult };
