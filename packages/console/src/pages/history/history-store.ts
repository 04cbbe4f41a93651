import { readHistory } from "../../api/generations.ts";
import type { PastGeneration } from "../../api/generations.ts";
import { describeError } from "../../api/http.ts";
import { Watchers } from "../../state/observable.ts";

/** What has ended, as far as it was read. */
export class HistoryStore extends Watchers {
  generations: readonly PastGeneration[] = [];
  state: "loading" | "ready" | { readonly failed: string } = "loading";
  /** Where the next page begins; null if there is none. */
  next: string | null = null;
  #isReading = false;

  /** Reads from the newest on. */
  load(): Promise<void> {
    return this.#read(null);
  }

  /** Reads what is older. */
  more(): Promise<void> {
    return this.#read(this.next);
  }

  async #read(before: string | null): Promise<void> {
    // Its buttons stay where they are meanwhile, with the focus on them, and can be pressed again.
    if (this.#isReading) return;
    this.#isReading = true;
    this.state = "loading";
    this.tell();
    try {
      const { generations, next } = await readHistory(before);
      // What was there stays to be seen until there is something newer.
      this.generations = before === null ? generations : [...this.generations, ...generations];
      this.next = next;
      this.state = "ready";
    } catch (error) {
      this.state = { failed: describeError(error) };
    }
    this.#isReading = false;
    this.tell();
  }
}
