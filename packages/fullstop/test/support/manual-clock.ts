import type { Clock } from "../../src/index.ts";

interface Timer {
  readonly milliseconds: number;
  readonly fire: () => void;
}

/** A clock whose timers go off when the test says so. */
export interface ManualClock extends Clock {
  /** How often a timer of this length was started. */
  startedCount(milliseconds: number): number;
  /** The lengths of the timers that run. */
  running(): readonly number[];
  /** Lets the timer of this length go off, as soon as there is one. */
  fire(milliseconds: number): Promise<void>;
}

/** Creates a clock that stands still. */
export function createManualClock(now = 0): ManualClock {
  const timers = new Set<Timer>();
  const started: number[] = [];
  const wanted = new Map<number, () => void>();
  const find = (milliseconds: number): Timer | undefined =>
    [...timers].find((timer) => timer.milliseconds === milliseconds);
  const go = (timer: Timer): void => {
    timers.delete(timer);
    timer.fire();
  };
  return {
    now: () => now,
    after(milliseconds, callback) {
      const timer = { milliseconds, fire: callback };
      timers.add(timer);
      started.push(milliseconds);
      wanted.get(milliseconds)?.();
      return () => void timers.delete(timer);
    },
    startedCount: (milliseconds) => started.filter((length) => length === milliseconds).length,
    running: () => [...timers].map(({ milliseconds }) => milliseconds),
    async fire(milliseconds) {
      if (find(milliseconds) === undefined) await new Promise<void>((resolve) => wanted.set(milliseconds, resolve));
      const timer = find(milliseconds);
      if (timer !== undefined) go(timer);
    },
  };
}
