/**
 * Why a request is not served, in the words by which errors of hosted providers are told apart, too: `invalid_request`
 * and `context_window` want another request, `overloaded` wants patience, `shutdown` wants another engine.
 */
export type RefusalKind = "invalid_request" | "context_window" | "overloaded" | "shutdown";

/** A request that is not served. It becomes the last event of its generation and touches no other. */
export class Refusal extends Error {
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.name = "Refusal";
    this.kind = kind;
  }
}

/** The error for a request that is not served: of what kind, and one plain sentence that says what to do. */
export function refuse(kind: RefusalKind, message: string): Refusal {
  return new Refusal(kind, message);
}
