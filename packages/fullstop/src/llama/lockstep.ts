/**
 * Keeps the generations of one context in step, so that every batch holds a token of each.
 *
 * Left to themselves they drift apart: whichever token is sampled first asks for the next batch at once, and two
 * generations end up taking turns with batches of one. So each waits here before its next step until the steps under
 * way are done. Nobody waits for a reader: a generation whose reader dawdles is left out of the batch.
 */
export class Lockstep {
  readonly #defer: (callback: () => void) => void;
  #members = 0;
  #stepping = 0;
  #waiting: (() => void)[] = [];
  #isDeferred = false;

  /** `defer` calls back when everything that can go on at once has done so. */
  constructor(defer: (callback: () => void) => void = setImmediate) {
    this.#defer = defer;
  }

  /** Takes part from now on, until {@link leave}. */
  join(): void {
    this.#members += 1;
  }

  leave(): void {
    this.#members -= 1;
    this.#advance();
  }

  /** Runs one step, together with those of the others. */
  async step<T>(work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.#advance();
    });
    try {
      return await work();
    } finally {
      this.#stepping -= 1;
      this.#advance();
    }
  }

  #advance(): void {
    if (this.#stepping > 0 || this.#waiting.length === 0) return;
    if (this.#waiting.length >= this.#members) {
      this.#release();
    } else if (!this.#isDeferred) {
      // Somebody is not here yet. Usually they are about to come, having been given their token last.
      this.#isDeferred = true;
      this.#defer(() => {
        this.#isDeferred = false;
        if (this.#stepping === 0) this.#release();
      });
    }
  }

  #release(): void {
    const released = this.#waiting;
    this.#waiting = [];
    // Counted here and not when they go on, which is a moment later: whoever comes in between belongs to the next step.
    this.#stepping += released.length;
    for (const resolve of released) resolve();
  }
}
