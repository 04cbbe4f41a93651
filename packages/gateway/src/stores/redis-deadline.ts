/** How finely time is counted. */
const TICKS = 4;

interface Waiting {
  readonly since: number;
  readonly giveUp: () => void;
}

/** What is waited for has not come in time. */
export class SilenceError extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds / 1_000} s`);
    this.name = "SilenceError";
  }
}

/**
 * Gives up on what takes too long. One timer looks after everything that is waited for, because the store waits for
 * thousands of answers a second. Time is counted in ticks that the process has seen: when it was busy for a while
 * itself, the answers that came meanwhile are read before anybody is given up.
 */
export class Deadline {
  readonly #milliseconds: number;
  readonly #explain: (error: unknown) => Error;
  readonly #onExpired: () => void;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  #ticks = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * `explain` makes the error that is rejected with of what went wrong, which is a {@link SilenceError} for whatever
   * was given up. `onExpired` is called once for all that were at once.
   */
  constructor(milliseconds: number, explain: (error: unknown) => Error, onExpired: () => void) {
    this.#milliseconds = milliseconds;
    this.#explain = explain;
    this.#onExpired = onExpired;
  }

  /** What the work gives, or a rejection when that takes too long. */
  within<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        since: this.#ticks,
        giveUp: () => reject(this.#explain(new SilenceError(this.#milliseconds))),
      };
      this.#waiting.add(waiting);
      this.#timer ??= setInterval(() => this.#tick(), this.#milliseconds / TICKS);
      work.then(
        (result) => {
          this.#waiting.delete(waiting);
          return resolve(result);
        },
        (error: unknown) => {
          this.#waiting.delete(waiting);
          return reject(this.#explain(error));
        },
      );
    });
  }

  #tick(): void {
    this.#ticks += 1;
    let hasExpired = false;
    for (const waiting of this.#waiting) {
      if (this.#ticks - waiting.since <= TICKS) break;
      this.#waiting.delete(waiting);
      waiting.giveUp();
      hasExpired = true;
    }
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    if (hasExpired) this.#onExpired();
  }
}
