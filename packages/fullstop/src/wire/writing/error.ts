import type { TerminationSignal } from "../../termination.ts";
import { errorKindOfStatus, errorKindOfWords, statusOfErrorKind } from "../error-kinds.ts";
import type { ErrorKind } from "../error-kinds.ts";

/** An error as a body tells it. */
export interface ErrorReport {
  readonly kind: ErrorKind;
  /** The HTTP status that goes with it, from 400 to 599. */
  readonly status: number;
  readonly message: string;
  /** A finer word for it, in the provider's or our own words. */
  readonly code: string | null;
  /** Whether the code is the provider's, or the gateway's, own word, and not only the kind. */
  readonly isNamed: boolean;
  /** The field of the request in which the mistake is, where that is known. */
  readonly param: string | null;
}

/** Reads off the signal of an answer that ended in an error what an error body has to say. */
export function describeError(signal: TerminationSignal): ErrorReport {
  const { originalField, originalValue, metadata = {} } = signal.providerSpecific;
  const { status, code, type, param } = metadata;
  const given = typeof status === "number" && status >= 400 && status <= 599 ? Math.trunc(status) : undefined;
  // What failed on our side has a name of the system's or of a class, such as ENOTFOUND, which is no provider's word.
  const named = originalField === "error" ? [] : [originalValue];
  const words = [code, type, ...named].filter((word) => typeof word === "string");
  const kind =
    errorKindOfWords(words) ??
    (given === undefined ? undefined : errorKindOfStatus(given)) ??
    errorKindOfWords([signal.detail ?? ""]) ??
    // An error of no known kind is the provider's.
    "server_error";
  return {
    kind,
    status: given ?? statusOfErrorKind(kind),
    message: signal.message ?? "The generation failed",
    code: typeof code === "string" ? code : (signal.detail ?? null),
    isNamed: typeof code === "string",
    param: typeof param === "string" ? param : null,
  };
}
