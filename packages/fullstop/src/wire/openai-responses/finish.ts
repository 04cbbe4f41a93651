import type { TerminationSignal } from "../../termination.ts";
import { asksForCutCall, isCutByServer } from "../writing/finish.ts";
import type { FinishWord, FinishWords } from "../writing/finish.ts";

/** How a response says that it is over: its status, and the reason if it is incomplete. */
export interface ResponseEnding {
  readonly status: "completed" | "incomplete" | "cancelled" | "failed";
  /** The event that ends a stream. There is none for a cancelled response, so that is an incomplete one. */
  readonly event: "response.completed" | "response.incomplete" | "response.failed";
  readonly incompleteReason?: string;
}

const COMPLETED: ResponseEnding = { status: "completed", event: "response.completed" };
const FAILED: ResponseEnding = { status: "failed", event: "response.failed" };
const TOKEN_LIMIT = incomplete("max_output_tokens");

const ENDINGS: FinishWords<ResponseEnding> = {
  natural_completion: { word: COMPLETED },
  stop_sequence: { word: COMPLETED, loss: "Responses does not tell a matched stop string from a natural end" },
  token_limit_reached: { word: TOKEN_LIMIT },
  context_window_exceeded: { word: TOKEN_LIMIT, loss: "Responses does not tell a full context from a token limit" },
  tool_calls: { word: COMPLETED },
  content_filtered: { word: incomplete("content_filter") },
  paused: { word: incomplete("steered") },
  repetition_detected: { word: TOKEN_LIMIT, loss: "Responses has no word for a repetition but a token limit" },
  budget_exceeded: { word: TOKEN_LIMIT, loss: "Responses has no word for a spent budget but a token limit" },
  cancelled: { word: { ...incomplete("cancelled"), status: "cancelled" } },
  error_termination: { word: FAILED },
  unknown: { word: incomplete("unknown") },
};

const REFUSAL: FinishWord<ResponseEnding> = {
  word: incomplete("content_filter"),
  loss: "Responses has a place of its own for a refusal; here it is text that ends in a filter",
};

const CUT: FinishWord<ResponseEnding> = {
  word: TOKEN_LIMIT,
  loss: "Responses has no word for an answer that its server has cut but a token limit",
};

const CUT_CALL: FinishWord<ResponseEnding> = {
  word: TOKEN_LIMIT,
  loss: "Responses has no word for a call that is not whole but a token limit",
};

function incomplete(incompleteReason: string): ResponseEnding {
  return { status: "incomplete", event: "response.incomplete", incompleteReason };
}

/** How a response ends for a signal. An error ends it as failed and leaves it what was generated. */
export function toResponseEnding(signal: TerminationSignal): FinishWord<ResponseEnding> {
  if (isCutByServer(signal)) return CUT;
  if (asksForCutCall(signal)) return CUT_CALL;
  const isRefusal = signal.reason === "content_filtered" && signal.detail === "refusal";
  return isRefusal ? REFUSAL : ENDINGS[signal.reason];
}
