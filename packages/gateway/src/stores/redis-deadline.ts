/** How finely time is counted. */
const TICKS = 4;

interface Waiting {
  readonly since: number;
  readonly giveUp: () => void;
}

/**
 * Gives up on what takes too long. One timer looks after everything that is waited for, because the store waits for
 * thousands of answers a second. Time is counted in ticks that the process has seen: when it was busy for a while
 * itself, the answers that came meanwhile are read before anybody is given up.
 */
export class Deadline {
  readonly #milliseconds: number;
  readonly #describe: () => Error;
  readonly #onExpired: () => void;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  #ticks = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `describe` makes the error of whatever was given up, and `onExpired` is called once for all that were at once. */
  constructor(milliseconds: number, describe: () => Error, onExpired: () => void) {
    this.#milliseconds = milliseconds;
    this.#describe = describe;
    this.#onExpired = onExpired;
  }

  /** What the work gives, or a rejection when that takes too long. */
  within<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { since: this.#ticks, giveUp: () => reject(this.#describe()) };
      this.#waiting.add(waiting);
      this.#timer ??= setInterval(() => this.#tick(), this.#milliseconds / TICKS);
      work.then(
        (result) => {
          this.#waiting.delete(waiting);
          return resolve(result);
        },
        (error: unknown) => {
          this.#waiting.delete(waiting);
          return reject(error);
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
