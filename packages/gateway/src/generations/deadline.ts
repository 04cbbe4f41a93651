import { deadlineSignal } from "fullstop";
import type { TerminationSignal } from "fullstop";
import { unrefClock } from "../unref-clock.ts";

/** What a generation is stopped for whose time is up. */
const TIME_IS_UP = "deadline";

/** A timer that is set for longer goes off at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * The time that a generation may take, over all the models it asks. The guard looks at it when output arrives; this one
 * also ends a generation of which nothing comes.
 */
export class Deadline {
  readonly #clear: () => void;
  /** How long the generation may take, once it has taken that long. */
  #passed: number | undefined;

  constructor(milliseconds: number | undefined, stop: (reason: string) => void) {
    if (milliseconds === undefined || milliseconds > LONGEST_TIMER) {
      this.#clear = () => undefined;
      return;
    }
    this.#clear = unrefClock.after(milliseconds, () => {
      this.#passed = milliseconds;
      stop(TIME_IS_UP);
    });
  }

  /** Waits no longer. Whatever was stopped because the time was up ends as the budget it has used up. */
  settle(signal: TerminationSignal): TerminationSignal {
    this.#clear();
    const isStopped = signal.reason === "cancelled" && signal.detail === TIME_IS_UP;
    return isStopped && this.#passed !== undefined ? deadlineSignal(this.#passed) : signal;
  }
}
