import { RequestError } from "../request-error.ts";

/** Why a server should not be sent requests. */
type Problem = "shutting_down";

/**
 * Whether a server takes requests. Models are no part of it: a local one is loaded by its first request, and a provider
 * that fails fails for every replica.
 */
export class Readiness {
  readonly #problems = new Set<Problem>();

  get problems(): readonly Problem[] {
    return [...this.#problems];
  }

  /** From now on nothing new is begun. */
  beginShutdown(): void {
    this.#problems.add("shutting_down");
  }

  /** Refuses a request that would begin something. */
  check(): void {
    if (!this.#problems.has("shutting_down")) return;
    throw new RequestError("overloaded", "This server is shutting down; ask again, another one may answer", {
      status: 503,
    });
  }
}
