import type { TerminationSignal } from "../../termination.ts";
import { asksForCutCall, isCutByServer } from "../writing/finish.ts";
import type { FinishWord, FinishWords } from "../writing/finish.ts";

/** What `finish_reason` can say. Official clients refuse a stream that ends without one of these words. */
export type ChatFinishReason = "stop" | "length" | "tool_calls" | "content_filter";

const FINISH_REASONS: FinishWords<ChatFinishReason | undefined> = {
  natural_completion: { word: "stop" },
  stop_sequence: { word: "stop", loss: "Chat does not tell a matched stop string from a natural end" },
  token_limit_reached: { word: "length" },
  context_window_exceeded: { word: "length", loss: "Chat does not tell a full context window from a token limit" },
  tool_calls: { word: "tool_calls" },
  content_filtered: { word: "content_filter" },
  paused: { word: "length", loss: "Chat has no word for a pause; it is written as a token limit" },
  repetition_detected: { word: "length", loss: "Chat has no word for a repetition; it is written as a token limit" },
  budget_exceeded: { word: "length", loss: "Chat has no word for a spent budget; it is written as a token limit" },
  cancelled: { word: "stop", loss: "Chat has no word for a cancelled answer; it is written as a natural end" },
  error_termination: { word: undefined },
  // Nobody knows whether the answer is whole, and this is the word by which a reader expects that it may not be.
  unknown: { word: "length", loss: "Chat has no word for an unknown ending; it is written as a token limit" },
};

const REFUSAL: FinishWord<ChatFinishReason> = {
  word: "content_filter",
  loss: "Chat has a place of its own for a refusal; here it is text that ends in a filter",
};

const CUT: FinishWord<ChatFinishReason> = {
  word: "length",
  loss: "Chat has no word for an answer that its server has cut; it is written as a token limit",
};

const CUT_CALL: FinishWord<ChatFinishReason> = {
  word: "length",
  loss: "Chat has no word for a call that is not whole; it is written as a token limit",
};

/** The `finish_reason` of a signal; none for an error, which is a body of its own. */
export function toChatFinish(signal: TerminationSignal): FinishWord<ChatFinishReason | undefined> {
  if (isCutByServer(signal)) return CUT;
  if (asksForCutCall(signal)) return CUT_CALL;
  const isRefusal = signal.reason === "content_filtered" && signal.detail === "refusal";
  return isRefusal ? REFUSAL : FINISH_REASONS[signal.reason];
}
