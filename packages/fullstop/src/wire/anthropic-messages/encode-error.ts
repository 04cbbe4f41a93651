import type { TerminationSignal } from "../../termination.ts";
import { describeError } from "../writing/error.ts";
import type { ErrorReport } from "../writing/error.ts";
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

/** The codes of mistakes in one field, by which its client knows to send the request again without that. */
const FIELD_CODES: ReadonlyMap<string | null, string> = new Map([["thread", "thread_unsupported_request"]]);

/** A code that is only a status says nothing that the dialect's own does not. */
const STATUS_CODE = /^\d+$/u;

/** The error body of an answer that failed, which is also the payload of the last frame of a stream. */
export function encodeAnthropicMessagesError(signal: TerminationSignal): EncodedResponse {
  const report = describeError(signal);
  const { kind, message } = report;
  const isOwn = signal.providerSpecific.metadata?.["status"] === undefined;
  const status = kind === "overloaded" && isOwn ? OVERLOADED : report.status;
  const type = status === TOO_LARGE ? "request_too_large" : ERROR_TYPES[kind];
  const code = causeOf(report);
  // Where its client looks for the cause, which the type does not tell.
  const details = code === undefined ? {} : { details: { error_code: code } };
  const error = { type, message, ...details, fullstop: toPortableSignal(signal) };
  return { status, body: { type: "error", error } };
}

function causeOf({ code, isNamed, param }: ErrorReport): string | undefined {
  const named = isNamed && code !== null && !STATUS_CODE.test(code) ? code : undefined;
  return named ?? FIELD_CODES.get(param);
}
