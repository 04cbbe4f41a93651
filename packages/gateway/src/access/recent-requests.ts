const MINUTE = 60_000;

/**
 * The times of somebody's last requests, as many as they may make within a minute. Whatever minute one looks at, it
 * never has more; a counter that starts again with every minute would let twice as many through around its start.
 */
export class RecentRequests {
  readonly #times: Float64Array;
  #oldest = 0;

  constructor(mostPerMinute: number) {
    this.#times = new Float64Array(mostPerMinute).fill(-Infinity);
  }

  /** From when on another request may come. */
  freeAt(): number {
    return (this.#times[this.#oldest] ?? Infinity) + MINUTE;
  }

  /** Notes a request that has come. */
  add(now: number): void {
    this.#times[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#times.length;
  }
}
