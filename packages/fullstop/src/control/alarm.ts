import type { Clock } from "../clock.ts";

/** Wakes whoever waits for something to change. What rings while nobody waits is not forgotten. */
export class Alarm {
  #hasRung = false;
  #wake: (() => void) | undefined;

  /** From here on, what rings is heard by the next who waits. */
  reset(): void {
    this.#hasRung = false;
  }

  ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  /** Waits until it rings, or has rung since it was reset, and no longer than that. */
  wait(clock: Clock, milliseconds: number): Promise<void> {
    if (this.#hasRung) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = clock.after(milliseconds, () => this.#wake?.());
      this.#wake = () => {
        this.#wake = undefined;
        stop();
        resolve();
      };
    });
  }
}
