import type { TerminationSignal } from "../../termination.ts";
import { describeError } from "../writing/error.ts";
import type { ErrorKind } from "../error-kinds.ts";
import { toPortableSignal } from "../writing/finish.ts";
import type { EncodedResponse } from "../format.ts";

const ERROR_TYPES: Readonly<Record<ErrorKind, string>> = {
  invalid_request: "invalid_request_error",
  context_window: "invalid_request_error",
  authentication: "authentication_error",
  quota: "insufficient_quota",
  permission: "permission_error",
  not_found: "not_found_error",
  rate_limited: "rate_limit_error",
  timeout: "timeout_error",
  cancelled: "server_error",
  overloaded: "overloaded_error",
  server_error: "server_error",
};

/** The error body of an answer that failed, which is also the payload of the last frame of a stream. */
export function encodeOpenaiChatError(signal: TerminationSignal): EncodedResponse {
  const { kind, status, message, code } = describeError(signal);
  const error = { message, type: ERROR_TYPES[kind], param: null, code, fullstop: toPortableSignal(signal) };
  return { status, body: { error } };
}
