import type { GenerationRecord, GenerationStore, Replica } from "fullstop/control";
import type { GenerationObserver } from "../operations/observer.ts";
import { LiveGeneration } from "./live-generation.ts";
import type { GenerationSpec } from "./live-generation.ts";
import { StoredView } from "./view.ts";
import type { GenerationView } from "./view.ts";

/** What {@link Generations} are made of. */
export interface GenerationsOptions {
  readonly store: GenerationStore;
  readonly replica: Replica;
  readonly observer: GenerationObserver;
  /** How many bytes one answer may have in memory. One that is larger is ended there. */
  readonly answerBytes: number;
  /** Whether what was written is recorded, or only how much. */
  readonly keepsContent: boolean;
  /** Told of what the store could not do. */
  readonly onStoreFailure: (error: unknown) => void;
}

/** The generations of a gateway: those that run here, and through the store all others. */
export class Generations {
  readonly store: GenerationStore;
  readonly #options: GenerationsOptions;
  readonly #live = new Map<string, LiveGeneration>();

  constructor(options: GenerationsOptions) {
    this.store = options.store;
    this.#options = options;
  }

  /** The name of this replica. */
  get replica(): string {
    return this.#options.replica.name;
  }

  /** Starts one here. It is known, and can be stopped, as soon as this returns. */
  start(spec: GenerationSpec): LiveGeneration {
    const { store, replica, observer, answerBytes, keepsContent, onStoreFailure } = this.#options;
    const surroundings = {
      store,
      observer,
      keepsContent,
      onStoreFailure,
      replica: replica.name,
      mostBytes: answerBytes,
    };
    const generation = new LiveGeneration(spec, surroundings);
    this.#live.set(spec.id, generation);
    const leave = replica.take(spec.id, (order) => void generation.carryOut(order));
    void this.#forget(generation, leave);
    return generation;
  }

  /** Lets go of a generation that has ended: from there on the store has it. */
  async #forget({ id, ended }: LiveGeneration, leave: () => void): Promise<void> {
    await ended;
    leave();
    this.#live.delete(id);
  }

  /** One that runs here. */
  local(id: string): LiveGeneration | undefined {
    return this.#live.get(id);
  }

  /** Those that run here, the oldest first. */
  live(): readonly LiveGeneration[] {
    return [...this.#live.values()];
  }

  /** Any generation that is known, wherever it runs or ran. Rejects if it is not here and the store is away. */
  async find(id: string): Promise<GenerationView | undefined> {
    const local = this.#live.get(id);
    if (local !== undefined) return local;
    const stored = await this.store.find(id);
    return stored && new StoredView(this.store, stored);
  }

  /** Those that run anywhere, of one owner or of all, the oldest first; only those that run here if the store is away. */
  async running(owner?: string): Promise<readonly (LiveGeneration | GenerationRecord)[]> {
    const own = this.live().filter((each) => owner === undefined || each.owner === owner);
    const elsewhere = await this.store.live(owner).catch(() => []);
    const all = [...own, ...elsewhere.filter(({ id, holder }) => holder !== this.replica && !this.#live.has(id))];
    return all.sort((a, b) => a.startedAt - b.startedAt);
  }

  /** Stops all that run here, and waits for their ends. */
  async stopAll(reason: string): Promise<void> {
    const running = this.live();
    for (const generation of running) generation.stop(reason);
    await Promise.all(running.map(({ ended }) => ended));
  }
}
