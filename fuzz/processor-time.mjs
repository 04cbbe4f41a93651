// @ts-check
import { existsSync, readFileSync } from "node:fs";

/** Linux tells here, in nanoseconds, for how long the thread that reads it has had a processor. */
const FILE = "/proc/thread-self/schedstat";
const isTold = existsSync(FILE);

/**
 * Seconds that this thread has had a processor; where the system does not tell, seconds of the clock. A run beside
 * others on a busy machine, or one that was put to sleep, is then as long as one alone.
 */
export function processorSeconds() {
  return isTold ? Number.parseInt(readFileSync(FILE, "utf8"), 10) / 1e9 : performance.now() / 1000;
}
