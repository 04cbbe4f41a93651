import { networkSignal } from "../../engines/failures.ts";
import { createTerminationSignal } from "../../termination.ts";
import type { TerminationSignal } from "../../termination.ts";
import { countOf, recordOf, stringOf } from "../../wire/json.ts";
import { failureSignal, readFailure } from "../../wire/reading/failure.ts";

/** The SDK's errors for a piece of an answer that is not what it should be. */
const UNREADABLE = /^AI_(?:JSONParse|TypeValidation|InvalidResponseData)Error$/u;

/**
 * The signal of an error that a model has thrown or sent within an answer. A status or a word for its kind comes from
 * the provider; an error without both is one of the connection.
 */
export function readError(error: unknown): TerminationSignal {
  const { name, statusCode } = recordOf(error);
  if (UNREADABLE.test(stringOf(name))) return unreadableSignal(stringOf(name));
  const failure = readFailure(error);
  const status = failure.status ?? countOf(statusCode);
  if (status === undefined && failure.type === undefined) return networkSignal(error);
  return failureSignal(failure, status);
}

function unreadableSignal(name: string): TerminationSignal {
  return createTerminationSignal({
    reason: "error_termination",
    detail: "malformed_event",
    originalField: "error",
    originalValue: name,
    message: "Part of the answer could not be read",
  });
}
