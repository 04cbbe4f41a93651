import type { LiveGeneration } from "./live-generation.ts";
import { Register } from "./register.ts";

/** How many that have ended wait for a store that is away, and how much they hold. Each of them tries twice a second. */
const MOST = 1_000;
const MOST_BYTES = 64 * 2 ** 20;

/** Generations of which the store does not have all yet: while they run, and after their end if it is away. */
export class Unrecorded {
  readonly #all = new Register<LiveGeneration>();
  /** Those among them that have ended, in the order in which they have. */
  readonly #ended = new Map<string, LiveGeneration>();
  readonly #onGivenUp: (error: Error) => void;
  #bytes = 0;

  /** `onGivenUp` is told when there are too many, and what has ended is not recorded any more. */
  constructor(onGivenUp: (error: Error) => void) {
    this.#onGivenUp = onGivenUp;
  }

  get(id: string): LiveGeneration | undefined {
    return this.#all.get(id);
  }

  all(): readonly LiveGeneration[] {
    return this.#all.all();
  }

  /** Keeps a generation until the store has all of it, or it is given up. */
  async keep(generation: LiveGeneration): Promise<void> {
    const { id } = generation;
    this.#all.set(id, generation);
    await generation.recorded;
    this.#all.delete(id);
    if (this.#ended.delete(id)) this.#bytes -= generation.bytes;
  }

  /** A generation has ended. If the store does not have it, it waits with the others, of which there may be too many. */
  waits(generation: LiveGeneration): void {
    if (this.#all.get(generation.id) === undefined) return;
    this.#ended.set(generation.id, generation);
    this.#bytes += generation.bytes;
    while (this.#ended.size > MOST || this.#bytes > MOST_BYTES) this.#giveUpOne();
  }

  /** Gives up the one that has waited longest, but rather one of which the store knows nothing: it knows no end of others. */
  #giveUpOne(): void {
    const waiting = [...this.#ended.values()];
    const one = waiting.find(({ isKnownToStore }) => !isKnownToStore) ?? waiting[0];
    if (one === undefined) return;
    this.#ended.delete(one.id);
    this.#bytes -= one.bytes;
    one.leaveStore();
    this.#onGivenUp(new Error("More answers wait for the store than are kept; the oldest are not recorded"));
  }
}
