import type { TerminationSignal } from "../../termination.ts";
import { describeError } from "../writing/error.ts";
import type { ErrorKind } from "../error-kinds.ts";
import { toPortableSignal } from "../writing/finish.ts";
import type { EncodedResponse } from "../format.ts";

const STATUS_WORDS: Readonly<Record<ErrorKind, string>> = {
  invalid_request: "INVALID_ARGUMENT",
  context_window: "INVALID_ARGUMENT",
  authentication: "UNAUTHENTICATED",
  quota: "FAILED_PRECONDITION",
  permission: "PERMISSION_DENIED",
  not_found: "NOT_FOUND",
  rate_limited: "RESOURCE_EXHAUSTED",
  timeout: "DEADLINE_EXCEEDED",
  cancelled: "CANCELLED",
  overloaded: "UNAVAILABLE",
  server_error: "INTERNAL",
};

/** The error body of an answer that failed, which is also the payload of the last frame of a stream. */
export function encodeGeminiError(signal: TerminationSignal): EncodedResponse {
  const { kind, status, message } = describeError(signal);
  const error = { code: status, message, status: STATUS_WORDS[kind], fullstop: toPortableSignal(signal) };
  return { status, body: { error } };
}
