import type { TerminationSignal } from "../termination.ts";

/** The question for the counts of a stream, which servers do not know that are older than it, or strict. */
const COUNTS = /stream_options|include_usage/iu;

/** The word itself, and not a part of a name. */
const STREAM = /\bstream(?:ing|ed|s)?\b/iu;

/** The details of a refusal by which a request may be taken that says less. */
const REFUSALS: ReadonlySet<string | undefined> = new Set(["invalid_request", "permission"]);

/**
 * Which wish about its stream a provider has refused a request for, so that it may take one without: the stream itself,
 * as OpenAI does of organisations that it has not verified and as some models do that cannot stream, or to have its
 * tokens counted. Few of those who pass on what a provider has said keep more of it than the sentence, which nobody has
 * the same.
 */
export function refusedStreamWish(signal: TerminationSignal): "stream" | "streamUsage" | undefined {
  const { reason, detail, message = "", providerSpecific } = signal;
  if (reason !== "error_termination" || !REFUSALS.has(detail)) return undefined;
  const { param } = providerSpecific.metadata ?? {};
  const words = typeof param === "string" ? `${param} ${message}` : message;
  if (COUNTS.test(words)) return "streamUsage";
  return STREAM.test(words) ? "stream" : undefined;
}
