/**
 * Why a generation ended, in one vocabulary for all providers and rules. The list may grow in a later version,
 * so code that switches over it should keep a default branch.
 */
export type TerminationReason =
  | "natural_completion"
  | "stop_sequence"
  | "token_limit_reached"
  | "context_window_exceeded"
  | "tool_calls"
  | "content_filtered"
  | "paused"
  | "repetition_detected"
  | "budget_exceeded"
  | "cancelled"
  | "error_termination"
  | "unknown";

/** How sure we are that the reason is right: a provider's own word is high, an inference is lower. */
export type Confidence = "high" | "medium" | "low";

/** The source's own words, kept beside the unified reason so that nothing is lost in translation. */
export interface ProviderSpecific {
  /** Where the value stood, such as `finish_reason`; for our own rules, the rule's name. */
  readonly originalField: string;
  /** The value as it stood there. */
  readonly originalValue: string;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** The one description of how a generation ended, the same for every provider, model and stop rule. */
export interface TerminationSignal {
  /** False only while a provider reports work in progress. */
  readonly shouldTerminate: boolean;
  readonly reason: TerminationReason;
  readonly confidence: Confidence;
  readonly providerSpecific: ProviderSpecific;
  /** One plain sentence for people. */
  readonly message?: string | undefined;
  /** A finer sub-reason from an open list, such as `truncated`, `refusal`, `deadline` or `user`. */
  readonly detail?: string | undefined;
  /** The stop string that matched, where that is known. */
  readonly stopSequence?: string | undefined;
}

/** Keyed by reason so that a reason added to the union without an entry here does not compile. */
const KNOWN_REASONS: Readonly<Record<TerminationReason, true>> = {
  natural_completion: true,
  stop_sequence: true,
  token_limit_reached: true,
  context_window_exceeded: true,
  tool_calls: true,
  content_filtered: true,
  paused: true,
  repetition_detected: true,
  budget_exceeded: true,
  cancelled: true,
  error_termination: true,
  unknown: true,
};

const CONFIDENCES: Readonly<Record<Confidence, true>> = { high: true, medium: true, low: true };

/** What {@link createTerminationSignal} takes: the reason, the source's own words, and whatever else is known. */
export interface TerminationSignalParts {
  readonly reason: TerminationReason;
  readonly originalField: string;
  readonly originalValue: string;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Default `"high"`. */
  readonly confidence?: Confidence | undefined;
  /** Default true. */
  readonly shouldTerminate?: boolean | undefined;
  readonly message?: string | undefined;
  readonly detail?: string | undefined;
  readonly stopSequence?: string | undefined;
}

/** Builds a signal, leaving out the fields that are not known instead of setting them to undefined. */
export function createTerminationSignal({
  reason,
  originalField,
  originalValue,
  metadata,
  confidence = "high",
  shouldTerminate = true,
  message,
  detail,
  stopSequence,
}: TerminationSignalParts): TerminationSignal {
  return {
    shouldTerminate,
    reason,
    confidence,
    providerSpecific: { originalField, originalValue, ...(metadata && { metadata }) },
    ...(message !== undefined && { message }),
    ...(detail !== undefined && { detail }),
    ...(stopSequence !== undefined && { stopSequence }),
  };
}

/** The signal of a source that ended without saying so: what came may be half an answer. */
export function truncatedSignal(): TerminationSignal {
  return createTerminationSignal({
    reason: "error_termination",
    detail: "truncated",
    originalField: "end_of_input",
    originalValue: "",
    message: "The source ended without a finish",
  });
}

/**
 * The signal of a generation that somebody stopped. `detail` says who or what: `user`, `new_message`,
 * `disconnect`, `operator`, `deadline`, `shutdown`, or a word of the caller's own.
 */
export function cancelledSignal(detail = "user"): TerminationSignal {
  return createTerminationSignal({
    reason: "cancelled",
    detail,
    originalField: "cancel",
    originalValue: detail,
    message: "Generation stopped",
  });
}

/** The signal of a source that failed with an error of its own, whatever kind of value it threw. */
export function failedSignal(error: unknown, detail = "exception"): TerminationSignal {
  const name = error instanceof Error ? error.name : typeof error;
  const message = error instanceof Error ? error.message : typeof error === "string" ? error : "";
  return createTerminationSignal({
    reason: "error_termination",
    detail,
    originalField: "error",
    originalValue: name,
    message: message === "" ? name : message,
  });
}

/** Whether a value from outside (a store, another process, a test double) is a complete signal. */
export function isTerminationSignal(value: unknown): value is TerminationSignal {
  if (!isRecord(value) || !isRecord(value["providerSpecific"])) return false;
  const { shouldTerminate, reason, confidence, providerSpecific, message, detail, stopSequence } = value;
  const { originalField, originalValue, metadata } = providerSpecific;
  return (
    typeof shouldTerminate === "boolean" &&
    isKeyOf(KNOWN_REASONS, reason) &&
    isKeyOf(CONFIDENCES, confidence) &&
    [originalField, originalValue].every((text) => typeof text === "string") &&
    (metadata === undefined || isRecord(metadata)) &&
    [message, detail, stopSequence].every((text) => text === undefined || typeof text === "string")
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isKeyOf(table: object, value: unknown): boolean {
  return typeof value === "string" && Object.hasOwn(table, value);
}
