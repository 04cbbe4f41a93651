import type { Clock } from "fullstop";

/** The time of the machine, which a test can put forward. */
export interface JumpingClock extends Clock {
  /** Puts the clock forward. What is due by then happens at once, in its order. */
  jump(milliseconds: number): void;
}

interface Timer {
  readonly due: number;
  readonly fire: () => void;
}

/** Creates a clock that goes by itself, so that only what a test is about has to be moved on by hand. */
export function createJumpingClock(): JumpingClock {
  const timers = new Set<Timer>();
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  return {
    now,
    after(milliseconds, callback) {
      const stop = (): void => {
        clearTimeout(timeout);
        timers.delete(timer);
      };
      const fire = (): void => {
        stop();
        callback();
      };
      const timer: Timer = { due: now() + milliseconds, fire };
      const timeout = setTimeout(fire, milliseconds);
      timers.add(timer);
      return stop;
    },
    jump(milliseconds) {
      ahead += milliseconds;
      const due = [...timers].filter((timer) => timer.due <= now()).toSorted((one, other) => one.due - other.due);
      // One that goes off can cancel another.
      for (const timer of due) if (timers.has(timer)) timer.fire();
    },
  };
}
