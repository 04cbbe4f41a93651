import type { Clock } from "fullstop";
import { DEFAULT_BOUNDS } from "./bounds.ts";
import type { GenerationBounds } from "./bounds.ts";
import { LiveGeneration } from "./live-generation.ts";
import type { GenerationSpec } from "./live-generation.ts";

/** A generation that has ended, and until when it is remembered. */
interface Kept {
  readonly generation: LiveGeneration;
  readonly bytes: number;
  readonly until: number;
}

/** The time of the machine. Nobody's process has to go on only to forget something. */
const machineClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

/** The generations of this server: those that run, and for a while those that have ended. */
export class GenerationRegistry {
  readonly #bounds: GenerationBounds;
  readonly #clock: Clock;
  readonly #live = new Map<string, LiveGeneration>();
  /** In the order in which they have ended, which is that in which they are forgotten. */
  readonly #kept = new Map<string, Kept>();
  #keptBytes = 0;
  #isWaiting = false;

  constructor(bounds: GenerationBounds = DEFAULT_BOUNDS, clock: Clock = machineClock) {
    this.#bounds = bounds;
    this.#clock = clock;
  }

  start(spec: GenerationSpec): LiveGeneration {
    const generation = new LiveGeneration(spec, this.#bounds.answerBytes);
    this.#live.set(spec.id, generation);
    void generation.ended.then(() => this.#keep(generation));
    return generation;
  }

  find(id: string): LiveGeneration | undefined {
    return this.#live.get(id) ?? this.#kept.get(id)?.generation;
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
    const { id, bytes } = generation;
    this.#live.delete(id);
    this.#kept.set(id, { generation, bytes, until: this.#clock.now() + this.#bounds.keptMilliseconds });
    this.#keptBytes += bytes;
    this.#forget();
  }

  /** Forgets what is too old or too much, and comes back when the oldest of the rest is too old. */
  #forget(): void {
    const now = this.#clock.now();
    for (const [id, { bytes, until }] of this.#kept) {
      if (until > now && !this.#isTooMuch()) break;
      this.#kept.delete(id);
      this.#keptBytes -= bytes;
    }
    const [oldest] = this.#kept.values();
    if (oldest === undefined || this.#isWaiting) return;
    this.#isWaiting = true;
    this.#clock.after(oldest.until - now, () => {
      this.#isWaiting = false;
      this.#forget();
    });
  }

  #isTooMuch(): boolean {
    const { size } = this.#kept;
    const { keptAnswers, keptBytes } = this.#bounds;
    return size > keptAnswers || (size > 1 && this.#keptBytes > keptBytes);
  }
}
