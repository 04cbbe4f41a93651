import type { TerminationSignal } from "../../termination.ts";
import { asksForCutCall } from "../writing/finish.ts";
import type { FinishWord, FinishWords } from "../writing/finish.ts";

const FINISH_REASONS: FinishWords<string | undefined> = {
  natural_completion: { word: "STOP" },
  stop_sequence: { word: "STOP", loss: "Gemini does not tell a matched stop string from a natural end" },
  token_limit_reached: { word: "MAX_TOKENS" },
  context_window_exceeded: { word: "MAX_TOKENS", loss: "Gemini does not tell a full context from a token limit" },
  tool_calls: { word: "STOP" },
  content_filtered: { word: "SAFETY" },
  paused: { word: "CONTINUATION" },
  repetition_detected: { word: "MAX_TOKENS", loss: "Gemini has no word for a repetition but a token limit" },
  budget_exceeded: { word: "MAX_TOKENS", loss: "Gemini has no word for a spent budget but a token limit" },
  // The one dialect with a word for whatever else has stopped the model, so nothing needs to look complete, whoever it
  // was that has cut it.
  cancelled: { word: "OTHER", loss: "Gemini has no word of its own for a cancelled answer" },
  error_termination: { word: undefined },
  unknown: { word: "OTHER" },
};

/** Gemini's own words for what it filters and for the errors that it puts where the others have an error body. */
const OWN_WORDS = {
  content_filtered: new Set([
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "MODEL_ARMOR",
    "ESCALATION",
  ]),
  error_termination: new Set([
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MALFORMED_RESPONSE",
    "MISSING_THOUGHT_SIGNATURE",
    "NO_IMAGE",
    "IMAGE_OTHER",
  ]),
} as const;

/** Gemini's words for sub-reasons that come from elsewhere. */
const DETAILS = {
  content_filtered: new Map([["recitation", "RECITATION"]]),
  error_termination: new Map([["malformed_tool_call", "MALFORMED_FUNCTION_CALL"]]),
} as const;

const CUT_CALL: FinishWord<string> = {
  word: "MALFORMED_FUNCTION_CALL",
  loss: "Gemini does not tell a call that was cut from one that the model got wrong",
};

/** The `finishReason` of a signal; none for most errors, which are a body of their own. */
export function toGeminiFinish(signal: TerminationSignal): FinishWord<string | undefined> {
  if (asksForCutCall(signal)) return CUT_CALL;
  const { reason, detail = "", providerSpecific } = signal;
  if (reason !== "content_filtered" && reason !== "error_termination") return FINISH_REASONS[reason];
  const { originalValue } = providerSpecific;
  if (OWN_WORDS[reason].has(originalValue)) return { word: originalValue };
  return { word: DETAILS[reason].get(detail) ?? FINISH_REASONS[reason].word };
}
