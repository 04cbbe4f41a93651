import type { TerminationSignal } from "../../termination.ts";
import { describeError } from "../writing/error.ts";
import type { ErrorKind } from "../error-kinds.ts";
import { toPortableSignal } from "../writing/finish.ts";
import type { EncodedResponse } from "../format.ts";

const ERROR_TYPES: Readonly<Record<ErrorKind, string>> = {
  invalid_request: "invalid_request_error",
  context_window: "invalid_request_error",
  authentication: "authentication_error",
  quota: "billing_error",
  permission: "permission_error",
  not_found: "not_found_error",
  rate_limited: "rate_limit_error",
  timeout: "timeout_error",
  cancelled: "api_error",
  overloaded: "overloaded_error",
  server_error: "api_error",
};

/** The status by which Anthropic's clients know a server that has too much to do. */
const OVERLOADED = 529;

/** The status of a body that is larger than a server takes, for which Messages has a word of its own. */
const TOO_LARGE = 413;

/** A code that is only a status says nothing that the dialect's own does not. */
const STATUS_CODE = /^\d+$/u;

/** The error body of an answer that failed, which is also the payload of the last frame of a stream. */
export function encodeAnthropicMessagesError(signal: TerminationSignal): EncodedResponse {
  const { kind, status: usual, message, code, isNamed } = describeError(signal);
  const isOwn = signal.providerSpecific.metadata?.["status"] === undefined;
  const status = kind === "overloaded" && isOwn ? OVERLOADED : usual;
  const type = status === TOO_LARGE ? "request_too_large" : ERROR_TYPES[kind];
  // Where its client looks for the cause, which the type does not tell.
  const details = isNamed && code !== null && !STATUS_CODE.test(code) ? { error_code: code } : undefined;
  const error = { type, message, ...(details !== undefined && { details }), fullstop: toPortableSignal(signal) };
  return { status, body: { type: "error", error } };
}
