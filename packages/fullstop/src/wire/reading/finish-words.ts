import type { Confidence, TerminationReason } from "../../termination.ts";

/** What a provider's word for an ending means. */
export interface FinishMeaning {
  readonly reason: TerminationReason;
  readonly confidence: Confidence;
  readonly detail?: string | undefined;
  /** True for a word that is used both for a natural end and for a matched stop string. */
  readonly isAmbiguous?: boolean | undefined;
  /** True for a word that says only that nothing was said. It never replaces another one. */
  readonly isPlaceholder?: boolean | undefined;
}

type Row = readonly [meaning: FinishMeaning, ...words: string[]];

const high = (reason: TerminationReason, detail?: string): FinishMeaning => ({ reason, confidence: "high", detail });
const medium = (reason: TerminationReason, detail?: string): FinishMeaning => ({
  ...high(reason, detail),
  confidence: "medium",
});
const low = (reason: TerminationReason, detail?: string): FinishMeaning => ({
  ...high(reason, detail),
  confidence: "low",
});

/**
 * Every word by which a provider is known to end an answer. One table for all of them, because routers and
 * compatibility layers pass foreign words on: `end_turn` arrives in Chat Completions, `eos_token` as well.
 */
const ROWS: readonly Row[] = [
  // OpenAI Chat Completions and whoever speaks it; Gemini and Ollama say `stop` in the same sense.
  [{ ...medium("natural_completion"), isAmbiguous: true }, "stop", "REASON_STOP", "FINISHED"],
  [high("token_limit_reached"), "length", "max_output_tokens", "REASON_MAX_LEN"],
  [high("tool_calls"), "tool_calls", "tool_call", "function_call", "REASON_TOOL_CALLS", "requires_action"],
  [high("content_filtered"), "content_filter", "sensitive"],
  // OpenAI Responses and Gemini Interactions.
  [high("natural_completion"), "completed"],
  [low("token_limit_reached"), "max_messages", "incomplete"],
  [medium("paused", "steered"), "steered"],
  [high("cancelled"), "cancelled", "canceled"],
  [high("error_termination"), "failed"],
  [high("paused", "continuation"), "requires_continuation", "CONTINUATION"],
  [medium("budget_exceeded", "budget"), "budget_exceeded"],
  [{ ...high("unknown", "in_progress") }, "in_progress", "queued"],
  // Anthropic and Bedrock.
  [high("natural_completion"), "end_turn"],
  [high("token_limit_reached"), "max_tokens"],
  [high("stop_sequence"), "stop_sequence", "STOP_CRITERIA_MET"],
  [high("tool_calls"), "tool_use"],
  [high("paused"), "pause_turn"],
  [high("paused", "compaction"), "compaction"],
  [high("content_filtered", "refusal"), "refusal"],
  [high("context_window_exceeded"), "model_context_window_exceeded"],
  [high("content_filtered", "guardrail"), "guardrail_intervened"],
  [high("content_filtered"), "content_filtered"],
  [high("error_termination", "malformed_tool_call"), "malformed_tool_use", "malformed_tool_call"],
  [high("error_termination", "malformed_output"), "malformed_model_output"],
  // Gemini.
  [
    high("content_filtered"),
    "SAFETY",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
  ],
  [high("content_filtered", "recitation"), "RECITATION", "IMAGE_RECITATION"],
  [medium("content_filtered", "language"), "LANGUAGE"],
  [medium("content_filtered"), "MODEL_ARMOR", "ESCALATION", "JAILBREAK", "content_blocked"],
  [high("error_termination", "malformed_tool_call"), "MALFORMED_FUNCTION_CALL"],
  [high("error_termination", "unexpected_tool_call"), "UNEXPECTED_TOOL_CALL"],
  [medium("error_termination", "tool_loop_limit"), "TOO_MANY_TOOL_CALLS"],
  [medium("error_termination"), "MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE"],
  [low("error_termination"), "NO_IMAGE", "IMAGE_OTHER"],
  [medium("unknown"), "OTHER"],
  [{ ...high("unknown"), isPlaceholder: true }, "FINISH_REASON_UNSPECIFIED", "REASON_INVALID", "not_finished"],
  // Cohere and watsonx.
  [high("natural_completion"), "COMPLETE"],
  [high("error_termination"), "ERROR", "ERROR_LIMIT"],
  [medium("content_filtered"), "ERROR_TOXIC"],
  [high("cancelled"), "USER_CANCEL"],
  [high("budget_exceeded", "deadline"), "TIMEOUT", "time_limit"],
  [high("token_limit_reached"), "token_limit"],
  // xAI, Mistral, DeepSeek, Zhipu.
  [high("context_window_exceeded"), "REASON_MAX_CONTEXT", "model_length"],
  [medium("budget_exceeded", "deadline"), "REASON_TIME_LIMIT"],
  [high("error_termination", "overloaded"), "insufficient_system_resource"],
  [high("error_termination", "network_error"), "network_error"],
  // Servers for open models: Ollama, llama.cpp, vLLM, SGLang, Text Generation Inference, LM Studio, node-llama-cpp.
  [medium("natural_completion", "no_generation"), "load", "unload"],
  [high("natural_completion"), "eos", "eos_token", "eosFound", "eogToken"],
  [high("stop_sequence"), "word", "stopStringFound", "stopGenerationTrigger", "customStopTrigger"],
  [high("token_limit_reached"), "limit", "maxPredictedTokensReached", "maxTokens"],
  [high("context_window_exceeded"), "contextLengthReached"],
  [high("tool_calls"), "toolCalls", "functionCalls"],
  [medium("cancelled", "aborted_by_provider"), "abort", "aborted"],
  [high("cancelled"), "userStopped", "client_cancelled", "turn_detected"],
  [high("error_termination"), "modelUnloaded"],
  [low("repetition_detected"), "repetition"],
];

/** Each word as providers write it, and as it is once differences that mean nothing are taken off. */
const MEANINGS: ReadonlyMap<string, FinishMeaning> = new Map(
  ROWS.flatMap(([meaning, ...words]) =>
    words.flatMap((word) => [[word, meaning] as const, [normaliseWord(word), meaning] as const]),
  ),
);

const UNKNOWN: FinishMeaning = { reason: "unknown", confidence: "low" };

/** What a finish value means that is no word, such as `true` or an empty object. It takes back no word. */
export const NO_WORD: FinishMeaning = { ...UNKNOWN, isPlaceholder: true };

/** Spellings differ in case, in blanks and in dashes; none of that carries meaning. */
function normaliseWord(word: string): string {
  return word.trim().toLowerCase().replaceAll("-", "_");
}

const NOTHING: ReadonlySet<string> = new Set(["", "null"]);

/** Whether a finish value is one of the spellings of "nothing yet". */
export function isAbsent(value: unknown): boolean {
  if (typeof value === "string") return NOTHING.has(normaliseWord(value));
  return value === undefined || value === null;
}

/** What a provider's word means. A word nobody knows means `unknown`, never success. */
export function meaningOf(word: string): FinishMeaning {
  return MEANINGS.get(word) ?? MEANINGS.get(normaliseWord(word)) ?? UNKNOWN;
}

/** Whether a word is one that providers are known to use. */
export function isKnownWord(word: string): boolean {
  return MEANINGS.has(word);
}

/** Every word with its meaning, for tables in tests and documentation. */
export function listFinishWords(): readonly (readonly [word: string, meaning: FinishMeaning])[] {
  return ROWS.flatMap(([meaning, ...words]) => words.map((word) => [word, meaning] as const));
}
