import type { LanguageModelV4FinishReason, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { createTerminationSignal, truncatedSignal } from "../../termination.ts";
import type { TerminationReason, TerminationSignal } from "../../termination.ts";
import { recordOf } from "../../wire/json.ts";
import { SENTENCES } from "../../wire/reading/conclusion.ts";
import { meaningOf } from "../../wire/reading/finish-words.ts";
import type { FinishMeaning } from "../../wire/reading/finish-words.ts";

/** The SDK's words for an ending. */
export type UnifiedReason = LanguageModelV4FinishReason["unified"];

/**
 * The SDK's word for every reason. `stop` is only what is a success: whoever looks at the word alone must not take half
 * an answer for a whole one.
 */
const UNIFIED: Readonly<Record<TerminationReason, UnifiedReason>> = {
  natural_completion: "stop",
  stop_sequence: "stop",
  token_limit_reached: "length",
  context_window_exceeded: "length",
  tool_calls: "tool-calls",
  content_filtered: "content-filter",
  paused: "other",
  repetition_detected: "other",
  budget_exceeded: "other",
  cancelled: "other",
  error_termination: "error",
  unknown: "other",
};

/** Errors after which what came may be half an answer, and nobody has said that anything was wrong with it. */
const INTERRUPTIONS: ReadonlySet<string | undefined> = new Set(["truncated", "network_error", "timeout"]);

/**
 * What each of the SDK's words may stand for, the likeliest first. Within these the provider's own word decides, which
 * says more: `pause_turn` arrives as `stop`, and a full context window as `length`.
 */
const MAY_MEAN: Readonly<Record<Exclude<UnifiedReason, "interrupted" | "other">, readonly TerminationReason[]>> = {
  stop: ["natural_completion", "stop_sequence", "paused"],
  length: ["token_limit_reached", "context_window_exceeded"],
  "content-filter": ["content_filtered"],
  "tool-calls": ["tool_calls"],
  error: ["error_termination", "content_filtered"],
};

/** What is known of a finish beside its words. */
export interface FinishCircumstances {
  readonly providerMetadata: SharedV4ProviderMetadata | undefined;
  /** Whether the provider was asked to stop at strings, so that its `stop` may be one of them. */
  readonly hadStopStrings: boolean;
}

/** The signal that a provider's finish stands for. */
export function readFinishReason(finish: LanguageModelV4FinishReason, known: FinishCircumstances): TerminationSignal {
  const { unified, raw } = finish;
  if (unified === "interrupted") return truncatedSignal();
  const matched = recordOf(known.providerMetadata?.["anthropic"])["stopSequence"];
  const { reason, confidence, detail } = readMeaning(unified, raw, known.hadStopStrings);
  return createTerminationSignal({
    reason,
    confidence,
    detail,
    stopSequence: reason === "stop_sequence" && typeof matched === "string" ? matched : undefined,
    originalField: "finishReason",
    originalValue: raw ?? unified,
    message: SENTENCES[reason],
  });
}

function readMeaning(
  unified: Exclude<UnifiedReason, "interrupted">,
  raw: string | undefined,
  hadStopStrings: boolean,
): FinishMeaning {
  const word = raw === undefined ? undefined : meaningOf(raw);
  if (unified === "other") return word ?? { reason: "unknown", confidence: "low" };
  const [likeliest = "unknown", ...others] = MAY_MEAN[unified];
  if (word === undefined || ![likeliest, ...others].includes(word.reason)) {
    return { reason: likeliest, confidence: "high" };
  }
  if (word.isAmbiguous !== true) return word;
  return hadStopStrings ? { ...word, detail: "possible_stop_sequence" } : { ...word, confidence: "high" };
}

/**
 * The finish reason of an answer that ended with a signal. The provider's words stay where they are true; its `stop` is
 * replaced where it is none.
 */
export function toFinishReason(
  signal: TerminationSignal,
  told: LanguageModelV4FinishReason | undefined,
): LanguageModelV4FinishReason {
  const isInterrupted = signal.reason === "error_termination" && INTERRUPTIONS.has(signal.detail);
  const unified = isInterrupted ? "interrupted" : UNIFIED[signal.reason];
  if (told === undefined) return { unified, raw: signal.reason };
  const isFalse = told.unified === "stop" && unified !== "stop";
  return { unified: isFalse ? unified : told.unified, raw: told.raw };
}
