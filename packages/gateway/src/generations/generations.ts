import type { GenerationRecord, GenerationStore, Replica } from "fullstop/control";
import type { GenerationObserver } from "../operations/observer.ts";
import { inTime } from "./ask-store.ts";
import type { GenerationSpec } from "./generation-spec.ts";
import { LiveGeneration } from "./live-generation.ts";
import { Register } from "./register.ts";
import { Unrecorded } from "./unrecorded.ts";
import { StoredView } from "./view.ts";
import type { GenerationView } from "./view.ts";

/** How long a server that ends waits for a store that is away; others end what it never got as lost. */
const LAST_RECORDS_MILLISECONDS = 1_000;

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
  readonly #live = new Register<LiveGeneration>();
  readonly #unrecorded: Unrecorded;

  constructor(options: GenerationsOptions) {
    this.store = options.store;
    this.#options = options;
    this.#unrecorded = new Unrecorded(options.onStoreFailure);
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
    void this.#unrecorded.keep(generation);
    return generation;
  }

  /** Lets go of a generation that has ended. */
  async #forget(generation: LiveGeneration, leave: () => void): Promise<void> {
    await generation.ended;
    leave();
    this.#live.delete(generation.id);
    this.#unrecorded.waits(generation);
  }

  /** One that runs here. */
  local(id: string): LiveGeneration | undefined {
    return this.#live.get(id);
  }

  /** Those that run here, the oldest first. */
  live(): readonly LiveGeneration[] {
    return this.#live.all();
  }

  /** Any generation that is known, wherever it runs or ran. Rejects if it is not here and the store is away. */
  async find(id: string): Promise<GenerationView | undefined> {
    const local = this.#live.get(id) ?? this.#unrecorded.get(id);
    if (local !== undefined) return local;
    const stored = await inTime(this.store.find(id));
    return stored && new StoredView(this.store, stored);
  }

  /** Those that run here, of one owner or of all, the oldest first. */
  runningHere(owner?: string): readonly LiveGeneration[] {
    return this.live().filter((each) => owner === undefined || each.owner === owner);
  }

  /** Those that run on other replicas, of one owner or of all. Rejects if the store is away or silent for too long. */
  async runningElsewhere(owner?: string, patience?: number): Promise<readonly GenerationRecord[]> {
    const stored = await inTime(this.store.live(owner), patience);
    // What the store has of this replica and does not run here has just ended.
    return stored.filter(({ holder }) => holder !== this.replica);
  }

  /** Those that run anywhere, the oldest first. Rejects where {@link runningElsewhere} does. */
  async running(owner?: string, patience?: number): Promise<readonly (LiveGeneration | GenerationRecord)[]> {
    const elsewhere = await this.runningElsewhere(owner, patience);
    return [...this.runningHere(owner), ...elsewhere].sort((a, b) => a.startedAt - b.startedAt);
  }

  /** Forgets one that has ended. One that the store does not have yet would be recorded after it was forgotten. */
  async delete(id: string): Promise<boolean> {
    if (this.#unrecorded.get(id) !== undefined) throw new Error(`The generation ${id} is not in the store yet`);
    return inTime(this.store.delete(id));
  }

  /** Stops all that run here, and waits for their ends. */
  async stopAll(reason: string): Promise<void> {
    const running = this.live();
    for (const generation of running) generation.stop(reason);
    await Promise.all(running.map(({ ended }) => ended));
  }

  /** Waits until the store has what has ended here, but not for long, and leaves it alone then. */
  async settle(): Promise<void> {
    const unrecorded = this.#unrecorded.all();
    const limit = setTimeout(() => {
      for (const generation of unrecorded) generation.leaveStore();
    }, LAST_RECORDS_MILLISECONDS);
    await Promise.all(unrecorded.map(({ recorded }) => recorded));
    clearTimeout(limit);
  }
}
