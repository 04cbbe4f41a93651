import { createTerminationSignal } from "fullstop";
import type { TerminationSignal } from "fullstop";

/** Why a request is not served. Each has its HTTP status and its words in every dialect. */
export type RequestErrorKind =
  | "invalid_request"
  | "authentication"
  | "permission"
  | "not_found"
  | "rate_limited"
  | "overloaded"
  | "server_error";

/** What more is known about a refusal. */
export interface RefusalDetails {
  /** Another status than the usual one of its kind. */
  readonly status?: number;
  /** A finer word for it, as the clients of a dialect know it. */
  readonly code?: string;
  /** The field in which the mistake is. */
  readonly param?: string;
  /** When to try again. */
  readonly retryAfterMilliseconds?: number;
}

/** A request that is refused before anything is generated. The message is for the person who made it. */
export class RequestError extends Error {
  readonly kind: RequestErrorKind;
  readonly details: RefusalDetails | undefined;

  constructor(kind: RequestErrorKind, message: string, details?: RefusalDetails) {
    super(message);
    this.name = "RequestError";
    this.kind = kind;
    this.details = details;
  }

  /** The refusal as an ending, which every dialect knows how to write. */
  get signal(): TerminationSignal {
    return createTerminationSignal({
      reason: "error_termination",
      detail: this.kind,
      originalField: "gateway",
      originalValue: this.kind,
      message: this.message,
      ...(this.details !== undefined && { metadata: { ...this.details } }),
    });
  }
}
