/** Work that nobody waits for, until all of it has to be done. */
export class Tasks {
  readonly #running = new Set<Promise<void>>();
  readonly #onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Begins some work. What goes wrong with it is told, and harms nobody else. */
  begin(work: () => Promise<void>): void {
    const task = work()
      .catch(this.#onFailure)
      .finally(() => this.#running.delete(task));
    this.#running.add(task);
  }

  /** Fulfilled when everything that was begun is done. */
  async done(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
