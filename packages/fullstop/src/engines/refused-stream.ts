import type { TerminationSignal } from "../termination.ts";
import { isRefusedRequest } from "./without-thinking.ts";

/** The word itself, and not a part of a name such as `stream_options`. */
const STREAM = /\bstream(?:ing|ed|s)?\b/iu;

/**
 * Whether a provider has refused a request because it asks for a stream, so that it may take one for a whole answer:
 * OpenAI does of organisations that it has not verified, and some models cannot stream. Few of those who pass on what a
 * provider has said keep more of it than the sentence, which nobody has the same.
 */
export function isRefusedStream(signal: TerminationSignal): boolean {
  const { message = "", providerSpecific } = signal;
  return isRefusedRequest(signal) && (providerSpecific.metadata?.["param"] === "stream" || STREAM.test(message));
}
