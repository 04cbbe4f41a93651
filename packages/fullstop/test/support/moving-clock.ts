import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../src/index.ts";

interface Timer {
  readonly due: number;
  readonly fire: () => void;
}

/** A clock that goes as far as the test lets it. */
export interface MovingClock extends Clock {
  /** Lets time pass. Timers go off in their order, each after what the one before it has set off. */
  advance(milliseconds: number): Promise<void>;
  /** How many timers run. */
  timers(): number;
}

/** Creates a clock that stands still until it is moved. */
export function createMovingClock(): MovingClock {
  let now = 0;
  const timers = new Set<Timer>();
  const next = (until: number): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) if (timer.due <= until && timer.due < (first?.due ?? Infinity)) first = timer;
    return first;
  };
  return {
    now: () => now,
    after(milliseconds, callback) {
      const timer = { due: now + milliseconds, fire: callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    timers: () => timers.size,
    async advance(milliseconds) {
      const until = now + milliseconds;
      // What was begun before may have timers to set.
      await setImmediate();
      for (let timer = next(until); timer !== undefined; timer = next(until)) {
        now = timer.due;
        timers.delete(timer);
        timer.fire();
        await setImmediate();
      }
      now = until;
    },
  };
}
