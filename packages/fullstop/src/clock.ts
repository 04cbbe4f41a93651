/** Time, as it is passed in wherever something waits. Tests pass one that stands still until they move it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after some milliseconds, unless the function it returns is called before. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** The longest wait that timers can count; a longer one would be over at once. */
export const LONGEST_WAIT: number = 2 ** 31 - 1;

/** The time of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(milliseconds, LONGEST_WAIT));
    return () => clearTimeout(timer);
  },
};

/** Waits, or returns early when the signal fires. */
export function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const wake = (): void => {
      cancel();
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const cancel = clock.after(milliseconds, wake);
    signal.addEventListener("abort", wake, { once: true });
  });
}
