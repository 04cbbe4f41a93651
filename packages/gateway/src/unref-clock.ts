import type { Clock } from "fullstop";

/** The time of the machine. Nobody's process has to go on only because something waits by it. */
export const unrefClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
