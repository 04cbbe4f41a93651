import type { TerminationSignal } from "../../termination.ts";
import { describeError } from "../writing/error.ts";
import type { ErrorKind } from "../error-kinds.ts";
import type { EncodedResponse } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { encodeOpenaiChatError } from "../openai-chat/encode-error.ts";

const ERROR_CODES: Readonly<Record<ErrorKind, string>> = {
  invalid_request: "invalid_prompt",
  context_window: "invalid_prompt",
  authentication: "server_error",
  quota: "rate_limit_exceeded",
  permission: "server_error",
  not_found: "server_error",
  rate_limited: "rate_limit_exceeded",
  timeout: "server_error",
  cancelled: "server_error",
  overloaded: "server_error",
  server_error: "server_error",
};

/** The `error` of a response that failed; its codes are a closed list in official clients. */
export function encodeOpenaiResponsesError(signal: TerminationSignal): JsonRecord {
  const { kind, message } = describeError(signal);
  return { code: ERROR_CODES[kind], message };
}

/** The body of an error before there is a response. OpenAI has one for all of its dialects. */
export function encodeOpenaiResponsesErrorBody(signal: TerminationSignal): EncodedResponse {
  return encodeOpenaiChatError(signal);
}
