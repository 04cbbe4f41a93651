import type { TerminationSignal } from "../../termination.ts";
import { asksForCutCall, isCutByServer } from "../writing/finish.ts";
import type { FinishWord, FinishWords } from "../writing/finish.ts";

/** What `stop_reason` can say. Null claims nothing. */
export type AnthropicStopReason =
  | "end_turn"
  | "stop_sequence"
  | "max_tokens"
  | "model_context_window_exceeded"
  | "tool_use"
  | "refusal"
  | "pause_turn"
  | "compaction"
  | null;

const STOP_REASONS: FinishWords<AnthropicStopReason | undefined> = {
  natural_completion: { word: "end_turn" },
  stop_sequence: { word: "stop_sequence" },
  token_limit_reached: { word: "max_tokens" },
  context_window_exceeded: { word: "model_context_window_exceeded" },
  tool_calls: { word: "tool_use" },
  content_filtered: { word: "refusal" },
  paused: { word: "pause_turn" },
  repetition_detected: { word: "max_tokens", loss: "Messages has no word for a repetition but a token limit" },
  budget_exceeded: { word: "max_tokens", loss: "Messages has no word for a spent budget but a token limit" },
  cancelled: { word: "end_turn", loss: "Messages has no word for a cancelled answer but a natural end" },
  error_termination: { word: undefined },
  unknown: { word: null, loss: "Messages has no word for an unknown ending; it is written without one" },
};

const CUT: FinishWord<AnthropicStopReason> = {
  word: "max_tokens",
  loss: "Messages has no word for an answer that its server has cut but a token limit",
};

const CUT_CALL: FinishWord<AnthropicStopReason> = {
  word: "max_tokens",
  loss: "Messages has no word for a call that is not whole but a token limit",
};

/** A pause after which the conversation goes on from its summary. Its clients look for that word. */
const COMPACTION: FinishWord<AnthropicStopReason> = { word: "compaction" };

/** The `stop_reason` of a signal; none for an error, which is a body of its own. */
export function toAnthropicStop(signal: TerminationSignal): FinishWord<AnthropicStopReason | undefined> {
  if (isCutByServer(signal)) return CUT;
  if (asksForCutCall(signal)) return CUT_CALL;
  const isCompaction = signal.reason === "paused" && signal.detail === "compaction";
  return isCompaction ? COMPACTION : STOP_REASONS[signal.reason];
}
