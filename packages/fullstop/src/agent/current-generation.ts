import type { Generation, RequestWarning } from "../engine.ts";

/** The generation that a run is reading, for whoever wants something of it while it is under way. */
export class CurrentGeneration {
  #generation: Generation | undefined;
  #hasEnded = false;
  /** By what they say: every turn of a run has the same ones. */
  readonly #warnings = new Map<string, RequestWarning>();

  begin(generation: Generation): void {
    this.#generation = generation;
    this.#hasEnded = false;
  }

  /** Its engine has told all there is to tell. */
  ended(): void {
    this.#hasEnded = true;
  }

  /** Whether the last one has come to its own end. One that a rule behind it has ended may have counts to come. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  end(): void {
    for (const { field, message } of this.#generation?.warnings ?? []) {
      this.#warnings.set(`${field} ${message}`, { field, message });
    }
    this.#generation = undefined;
  }

  /** What of their requests could not be passed on, of all that have ended. */
  get warnings(): readonly RequestWarning[] {
    return [...this.#warnings.values()];
  }

  /** Asks it to leave its thinking. False where nothing is under way, or nothing that could. */
  skipThinking(): boolean {
    return this.#generation?.skipThinking?.() ?? false;
  }
}
