import { ApiError } from "./http.ts";

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 4000;

/** Whether the gateway has understood and says no, so that asking again is of no use. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500;
}

/** Pauses that grow while a gateway stays away. */
export class Patience {
  #pause = FIRST_PAUSE;

  /** Waits, each time longer than before. Rejects if the signal fires. */
  async rest(signal: AbortSignal): Promise<void> {
    const pause = this.#pause;
    this.#pause = Math.min(LONGEST_PAUSE, pause * 2);
    await new Promise((resolve) => setTimeout(resolve, pause));
    signal.throwIfAborted();
  }

  /** Begins with short pauses again: the gateway was there. */
  renew(): void {
    this.#pause = FIRST_PAUSE;
  }
}

/** Tries something until the gateway answers. Rejects when it refuses, or when the signal fires. */
export async function persist<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  onAway: (error: unknown) => void = () => undefined,
): Promise<T> {
  const patience = new Patience();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || isRefusal(error)) throw error;
      onAway(error);
    }
    await patience.rest(signal);
  }
}
