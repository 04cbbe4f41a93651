import type { Generation, RequestWarning } from "../engine.ts";

/** The generation that a run is reading, for whoever wants something of it while it is under way. */
export class CurrentGeneration {
  #generation: Generation | undefined;

  begin(generation: Generation): void {
    this.#generation = generation;
  }

  end(): void {
    this.#generation = undefined;
  }

  /** What of its request could not be passed on. */
  get warnings(): readonly RequestWarning[] {
    return this.#generation?.warnings ?? [];
  }

  /** Asks it to leave its thinking. False where nothing is under way, or nothing that could. */
  skipThinking(): boolean {
    return this.#generation?.skipThinking?.() ?? false;
  }
}
