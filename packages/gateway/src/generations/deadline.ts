import { createTerminationSignal } from "fullstop";
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
  readonly #milliseconds: number | undefined;
  readonly #clear: () => void;
  #isPassed = false;

  constructor(milliseconds: number | undefined, stop: (reason: string) => void) {
    this.#milliseconds = milliseconds;
    if (milliseconds === undefined || milliseconds > LONGEST_TIMER) {
      this.#clear = () => undefined;
      return;
    }
    this.#clear = unrefClock.after(milliseconds, () => {
      this.#isPassed = true;
      stop(TIME_IS_UP);
    });
  }

  /** Waits no longer. Whatever was stopped because the time was up ends as the budget it has used up. */
  settle(signal: TerminationSignal): TerminationSignal {
    this.#clear();
    if (!this.#isPassed || signal.reason !== "cancelled" || signal.detail !== TIME_IS_UP) return signal;
    return createTerminationSignal({
      reason: "budget_exceeded",
      detail: TIME_IS_UP,
      originalField: "max_milliseconds",
      originalValue: String(this.#milliseconds),
      message: "Time limit reached",
    });
  }
}
