import type { Clock } from "fullstop";

/** The longest wait that timers can count; a longer one would be over at once. */
const LONGEST_WAIT = 2 ** 31 - 1;

/** The time of the machine. Nobody's process has to go on only because something waits by it. */
export const unrefClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(milliseconds, LONGEST_WAIT)).unref();
    return () => clearTimeout(timer);
  },
};
