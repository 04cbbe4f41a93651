import type { Clock } from "../clock.ts";

/**
 * Waits for what a store answers, and no longer than so many milliseconds. A connection that is dead without knowing it
 * answers nothing at all, and whoever waited for it would wait for ever.
 */
export class Answers {
  readonly #clock: Clock;
  readonly #milliseconds: number;
  // Not the listeners of a signal: of those there must not be more than a few, and here are as many as there are calls.
  readonly #leaves = new Set<() => void>();
  #isClosed = false;

  constructor(clock: Clock, milliseconds: number) {
    this.#clock = clock;
    this.#milliseconds = milliseconds;
  }

  /** What is answered; rejects when that takes too long, or nobody waits for it any more. */
  of<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const letGo = (): void => {
        cancel();
        this.#leaves.delete(leave);
      };
      const giveUp = (message: string): void => {
        letGo();
        reject(new Error(message));
      };
      const leave = (): void => giveUp("Nobody waits for the store's answer any more");
      const cancel = this.#clock.after(this.#milliseconds, () =>
        giveUp(`The store has not answered for ${this.#milliseconds} ms`),
      );
      this.#leaves.add(leave);
      answer.finally(letGo).then(resolve, reject);
      if (this.#isClosed) leave();
    });
  }

  /** From now on nobody waits for an answer, also for those that were asked for before. */
  close(): void {
    this.#isClosed = true;
    for (const leave of this.#leaves) leave();
  }
}
