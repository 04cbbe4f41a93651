import { createMemoryStore } from "../../../src/control/index.ts";
import type { GenerationStore, Unwatch } from "../../../src/control/index.ts";
import type { Clock } from "../../../src/index.ts";

interface Watch {
  readonly begin: (store: GenerationStore) => Promise<Unwatch>;
  unwatch: Unwatch | undefined;
}

/** One store for several replicas, as a server of its own would be: it can lose its data, and goes on being watched. */
export class SharedStore {
  readonly #clock: Clock;
  readonly #watches = new Set<Watch>();
  #data: GenerationStore;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#data = createMemoryStore({ clock });
  }

  get data(): GenerationStore {
    return this.#data;
  }

  /** How many watch it. */
  get watches(): number {
    return this.#watches.size;
  }

  /** Begins anew, with nothing. */
  async forget(): Promise<void> {
    this.#data = createMemoryStore({ clock: this.#clock });
    for (const watch of this.#watches) watch.unwatch = await watch.begin(this.#data);
  }

  /** Watches the data, and whatever comes after it is lost. */
  async watch(begin: (store: GenerationStore) => Promise<Unwatch>): Promise<Unwatch> {
    const watch: Watch = { begin, unwatch: undefined };
    this.#watches.add(watch);
    watch.unwatch = await begin(this.#data);
    return () => {
      this.#watches.delete(watch);
      watch.unwatch?.();
    };
  }
}
