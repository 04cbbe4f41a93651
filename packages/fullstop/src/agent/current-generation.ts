import type { Generation } from "../engine.ts";

/** The generation that a run is reading, for whoever wants something of it while it is under way. */
export class CurrentGeneration {
  #generation: Generation | undefined;

  begin(generation: Generation): void {
    this.#generation = generation;
  }

  end(): void {
    this.#generation = undefined;
  }

  /** Asks it to leave its thinking. False where nothing is under way, or nothing that could. */
  skipThinking(): boolean {
    return this.#generation?.skipThinking?.() ?? false;
  }
}
