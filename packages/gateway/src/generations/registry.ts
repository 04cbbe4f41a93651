import { LiveGeneration } from "./live-generation.ts";
import type { GenerationSpec } from "./live-generation.ts";
import { NO_OBSERVER } from "../operations/observer.ts";
import type { GenerationObserver } from "../operations/observer.ts";

/** How many generations that have ended are remembered, so that a late reader or a late stop gets an answer. */
const MOST_ENDED = 1000;

/** The generations of this server: those that run, and the last ones that have ended. */
export class GenerationRegistry {
  readonly #live = new Map<string, LiveGeneration>();
  readonly #ended = new Map<string, LiveGeneration>();
  readonly #observer: GenerationObserver;

  constructor(observer: GenerationObserver = NO_OBSERVER) {
    this.#observer = observer;
  }

  start(spec: GenerationSpec): LiveGeneration {
    const generation = new LiveGeneration(spec, this.#observer);
    this.#live.set(spec.id, generation);
    void generation.ended.then(() => this.#keep(generation));
    return generation;
  }

  find(id: string): LiveGeneration | undefined {
    return this.#live.get(id) ?? this.#ended.get(id);
  }

  /** Those that run, the oldest first. */
  live(): readonly LiveGeneration[] {
    return [...this.#live.values()];
  }

  /** Stops all that run, and waits for their ends. */
  async stopAll(detail: string): Promise<void> {
    const running = this.live();
    for (const generation of running) generation.stop(detail);
    await Promise.all(running.map(({ ended }) => ended));
  }

  #keep(generation: LiveGeneration): void {
    this.#live.delete(generation.id);
    this.#ended.set(generation.id, generation);
    for (const id of this.#ended.keys()) {
      if (this.#ended.size <= MOST_ENDED) break;
      this.#ended.delete(id);
    }
  }
}
