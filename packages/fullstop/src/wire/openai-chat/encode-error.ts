import type { TerminationSignal } from "../../termination.ts";
import { describeError } from "../writing/error.ts";
import type { ErrorKind } from "../error-kinds.ts";
import { toPortableSignal } from "../writing/finish.ts";
import type { EncodedResponse } from "../format.ts";

const ERROR_TYPES: Readonly<Record<ErrorKind, string>> = {
  invalid_request: "invalid_request_error",
  context_window: "invalid_request_error",
  // A wrong key and a model that is not there are mistakes in the request, told from others by their codes.
  authentication: "invalid_request_error",
  quota: "insufficient_quota",
  permission: "permission_error",
  not_found: "invalid_request_error",
  rate_limited: "rate_limit_error",
  timeout: "timeout_error",
  cancelled: "server_error",
  overloaded: "overloaded_error",
  server_error: "server_error",
};

/** The codes that OpenAI's own errors have, and that programs look for. */
const ERROR_CODES: Readonly<Partial<Record<ErrorKind, string>>> = {
  authentication: "invalid_api_key",
  context_window: "context_length_exceeded",
  quota: "insufficient_quota",
  rate_limited: "rate_limit_exceeded",
};

/** The error body of an answer that failed, which is also the payload of the last frame of a stream. */
export function encodeOpenaiChatError(signal: TerminationSignal): EncodedResponse {
  const { kind, status, message, code: given, isNamed, param } = describeError(signal);
  const code = isNamed ? given : (ERROR_CODES[kind] ?? given);
  const error = { message, type: ERROR_TYPES[kind], param, code, fullstop: toPortableSignal(signal) };
  return { status, body: { error } };
}
