import { LONGEST_WAIT, systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";

/** The time of the machine, with timers that keep no process from ending. */
export const unrefClock: Clock = {
  now: () => systemClock.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(milliseconds, LONGEST_WAIT)).unref();
    return () => clearTimeout(timer);
  },
};
