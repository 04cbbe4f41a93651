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
  #waiting: Waiter[] = [];
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

  /** Runs one step of the sequence with this number, together with those of the others. */
  step<T>(number: number, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ number, go: () => void this.#run(work).then(resolve, reject) });
      this.#advance();
    });
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
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
    // All are counted before the first one goes: whoever comes in between belongs to the next step.
    this.#stepping += released.length;
    // One pass through the model takes only sequences that follow each other; out of order, eight of them need several.
    released.sort((a, b) => a.number - b.number);
    for (const { go } of released) go();
  }
}

interface Waiter {
  readonly number: number;
  readonly go: () => void;
}
