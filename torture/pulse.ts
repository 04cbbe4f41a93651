import { setTimeout as sleep } from "node:timers/promises";

/**
 * Says when the machine was so busy that a gateway may have taken its store for being away. Readers are shown then what
 * a crash can take, which is documented and no mistake.
 */
export interface Pulse {
  wasSlow(from: number, until: number): boolean;
  stop(): Promise<void>;
}

/** How often the store is asked, and how long it may take: half of what a gateway waits. */
const BEAT_MILLISECONDS = 60;
const SLOW_MILLISECONDS = 100;

/** Begins to feel it. */
export function feelPulse(askStore: () => Promise<unknown>): Pulse {
  const slow: { readonly from: number; readonly until: number }[] = [];
  const stopping = new AbortController();
  const beat = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const from = Date.now();
      await askStore();
      await sleep(BEAT_MILLISECONDS);
      const until = Date.now();
      if (until - from > BEAT_MILLISECONDS + SLOW_MILLISECONDS) slow.push({ from, until });
    }
  };
  const beating = beat();
  return {
    wasSlow: (from, until) => slow.some((each) => each.from <= until && each.until >= from),
    async stop() {
      stopping.abort();
      await beating;
    },
  };
}
