import { createTerminationSignal, truncatedSignal } from "../../termination.ts";
import type { Confidence, TerminationReason, TerminationSignal } from "../../termination.ts";
import type { FinishMeaning } from "./finish-words.ts";
import type { DecodeOptions } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import type { CallsOutcome } from "./tool-calls.ts";

/** A finish value: where it stood, how it read and what it means. */
interface Ending {
  readonly field: string;
  readonly value: string;
  readonly meaning: FinishMeaning;
  /** The stop string that matched, or the number of the stop token. */
  readonly matched: string | number | undefined;
  /** What else was said with it. */
  readonly metadata: JsonRecord;
  /** Output has come after it, so that it was not the last word. */
  isStale: boolean;
}

/** What shows that the input is all there is: nothing, that it is a whole document, `[DONE]`, or the dialect's marker. */
export type EndProof = "none" | "document" | "sentinel" | "marker";

/** All that an answer has shown about its end. */
export interface Evidence {
  ending: Ending | undefined;
  failure: TerminationSignal | undefined;
  /** What the sender itself has said in our own words, with its last word or beside it. */
  told: TerminationSignal | undefined;
  proof: EndProof;
  /** In this dialect only the end of the input tells that a value was the last. */
  isProvisional: boolean;
  isRefused: boolean;
  /** A natural end was followed by output before: this provider's values prove little. */
  isContradicted: boolean;
  /** The input ended inside an event. */
  isCut: boolean;
  /** Events that could not be read. */
  malformed: number;
}

/** One sentence a reason, for people. */
export const SENTENCES: Readonly<Record<TerminationReason, string>> = {
  natural_completion: "The model finished its answer",
  stop_sequence: "Stop string detected",
  token_limit_reached: "Maximum tokens reached",
  context_window_exceeded: "The context window is full",
  tool_calls: "The model asks for tools to be run",
  content_filtered: "The answer was withheld",
  paused: "The provider paused and wants the turn sent back",
  repetition_detected: "Repetition detected by the provider",
  budget_exceeded: "A limit of the provider was reached",
  cancelled: "Generation stopped",
  error_termination: "The provider reported an error",
  unknown: "The provider did not say why it ended",
};

/**
 * Weighs the evidence. An error beats any value that came before it, unless the dialect's own end came in between; a
 * value that is not followed by output holds even if the end marker is missing, unless it says nothing; the end of the
 * input alone is a cut, never a success.
 */
export function conclude(evidence: Evidence, calls: CallsOutcome, options: DecodeOptions): TerminationSignal {
  const { ending, failure, told, proof, malformed } = evidence;
  if (failure !== undefined && proof !== "marker") return failure;
  if (ending === undefined) return withoutEnding(evidence);
  // Servers that write out the default of their protocol do so in every chunk before the end.
  const saysNothing = ending.meaning.isPlaceholder === true && ending.meaning.reason === "unknown";
  const isOpen = ending.isStale || saysNothing || (evidence.isProvisional && evidence.isCut);
  if (proof === "none" && isOpen) return truncatedSignal();
  const signal = told === undefined ? fromEnding(ending, evidence, calls, options) : withMetadata(told, ending);
  return malformed > 0 && SUCCESSES.has(signal.reason) ? malformedSignal(malformed) : signal;
}

/** Endings that say that everything is there. */
const SUCCESSES: ReadonlySet<TerminationReason> = new Set(["natural_completion", "tool_calls", "stop_sequence"]);

function withoutEnding({ proof, told, isCut }: Evidence): TerminationSignal {
  if (proof === "none" || (proof === "document" && isCut)) return truncatedSignal();
  if (told !== undefined) return told;
  return createTerminationSignal({
    reason: "unknown",
    confidence: "low",
    originalField: proof === "sentinel" ? "sentinel" : "end_of_answer",
    originalValue: proof === "sentinel" ? "[DONE]" : "",
    message: SENTENCES.unknown,
  });
}

/** What was told holds; what the dialect has a place for was said there. */
function withMetadata(told: TerminationSignal, { metadata }: Ending): TerminationSignal {
  if (Object.keys(metadata).length === 0) return told;
  const { providerSpecific } = told;
  return {
    ...told,
    providerSpecific: { ...providerSpecific, metadata: { ...providerSpecific.metadata, ...metadata } },
  };
}

function fromEnding(
  ending: Ending,
  evidence: Evidence,
  calls: CallsOutcome,
  options: DecodeOptions,
): TerminationSignal {
  const { field, value, meaning, matched } = ending;
  const isMarkerMissing = evidence.proof === "none" && !evidence.isProvisional;
  const metadata = { ...ending.metadata, ...(isMarkerMissing && { endMarker: "missing" }) };
  const { reason, confidence, detail } = refine(ending, evidence.isRefused, calls, options.hadStopStrings);
  return createTerminationSignal({
    reason,
    confidence: evidence.isContradicted ? "low" : confidence,
    detail,
    stopSequence: typeof matched === "string" ? matched : undefined,
    originalField: field,
    originalValue: value,
    shouldTerminate: meaning.detail !== "in_progress",
    message: SENTENCES[reason],
    ...(Object.keys(metadata).length > 0 && { metadata }),
  });
}

interface Reading {
  readonly reason: TerminationReason;
  readonly confidence: Confidence;
  readonly detail?: string | undefined;
}

/** What else was seen decides what a natural end was; a limit, a filter or an error stays what it is. */
function refine(
  { meaning, matched }: Ending,
  isRefused: boolean,
  calls: CallsOutcome,
  hadStopStrings: boolean | undefined,
): Reading {
  if (meaning.reason === "tool_calls") return callsReading(calls);
  if (meaning.reason === "content_filtered" && isRefused) return { ...meaning, detail: meaning.detail ?? "refusal" };
  if (meaning.reason !== "natural_completion") return meaning;
  if (isRefused) return { reason: "content_filtered", confidence: "high", detail: "refusal" };
  if (calls !== "none") return callsReading(calls);
  if (typeof matched === "string") return { reason: "stop_sequence", confidence: "high" };
  if (matched !== undefined) return { reason: "stop_sequence", confidence: "high", detail: "stop_token" };
  if (meaning.isAmbiguous !== true || hadStopStrings === undefined) return meaning;
  return hadStopStrings ? { ...meaning, detail: "possible_stop_sequence" } : { ...meaning, confidence: "high" };
}

function callsReading(calls: CallsOutcome): Reading {
  // A call cut by the limit is reported as a call by some servers, and a call that is not there by others.
  if (calls === "cut") return { reason: "tool_calls", confidence: "medium", detail: "incomplete_arguments" };
  return { reason: "tool_calls", confidence: calls === "none" ? "low" : "high" };
}

function malformedSignal(count: number): TerminationSignal {
  return createTerminationSignal({
    reason: "error_termination",
    detail: "malformed_event",
    originalField: "event",
    originalValue: String(count),
    message: "Part of the answer could not be read",
  });
}
