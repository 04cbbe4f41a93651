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

/** A request that is refused before anything is generated. The message is for the person who made it. */
export class RequestError extends Error {
  readonly kind: RequestErrorKind;
  readonly status: number | undefined;

  constructor(kind: RequestErrorKind, message: string, status?: number) {
    super(message);
    this.name = "RequestError";
    this.kind = kind;
    this.status = status;
  }

  /** The refusal as an ending, which every dialect knows how to write. */
  get signal(): TerminationSignal {
    return createTerminationSignal({
      reason: "error_termination",
      detail: this.kind,
      originalField: "gateway",
      originalValue: this.kind,
      message: this.message,
      ...(this.status !== undefined && { metadata: { status: this.status } }),
    });
  }
}
