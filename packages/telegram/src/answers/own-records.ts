import type { EndedGeneration, RetainedRecords, Store } from "fullstop/control";
import { ownerPrefixOf } from "../place.ts";

/** How many are looked at together. */
const AT_ONCE = 100;

/**
 * What retention may see of a store: the recorded answers of one bot. Gateways and other bots can share the store, and
 * have limits of their own. Whose something is never changes, and is asked once.
 */
export class OwnRecords implements RetainedRecords {
  readonly #store: Store;
  readonly #prefix: string;
  /** Whether they are this bot's, by their ids. */
  #known: ReadonlyMap<string, boolean> = new Map();

  constructor(store: Store, bot: number) {
    this.#store = store;
    this.#prefix = ownerPrefixOf(bot);
  }

  async ended(): Promise<readonly EndedGeneration[]> {
    const ended = await this.#store.ended();
    await this.#learn(ended.map(({ id }) => id));
    return ended.filter(({ id }) => this.#known.get(id) === true);
  }

  delete(id: string): Promise<boolean> {
    return this.#store.delete(id);
  }

  deleteExpiredDocuments(): Promise<void> {
    return this.#store.deleteExpiredDocuments();
  }

  /** Finds out whose those are that are new, and forgets those that are gone. */
  async #learn(ids: readonly string[]): Promise<void> {
    const known = new Map<string, boolean>();
    for (const id of ids) if (this.#known.has(id)) known.set(id, this.#known.get(id) === true);
    this.#known = known;
    const unknown = ids.filter((id) => !known.has(id));
    for (let first = 0; first < unknown.length; first += AT_ONCE) {
      const batch = unknown.slice(first, first + AT_ONCE);
      const found = await Promise.allSettled(batch.map((id) => this.#store.find(id)));
      // Then the store is away. One alone that cannot be read is damaged, and is left to whoever it belongs to.
      if (found.every(({ status }) => status === "rejected")) return;
      for (const [index, id] of batch.entries()) {
        const outcome = found[index];
        known.set(id, outcome?.status === "fulfilled" && outcome.value?.owner.startsWith(this.#prefix) === true);
      }
    }
  }
}
