/*
 * A browser has six connections to a gateway for all its tabs together. A stream holds one, so that some tabs that
 * nobody looks at would keep everything else waiting, a stop as well.
 */

/** Waits until somebody sees the tab. Rejects if the signal fires. */
export async function whenSeen(signal: AbortSignal): Promise<void> {
  while (document.hidden) {
    await new Promise<void>((resolve) => {
      const changed = (): void => {
        document.removeEventListener("visibilitychange", changed);
        signal.removeEventListener("abort", changed);
        resolve();
      };
      document.addEventListener("visibilitychange", changed);
      signal.addEventListener("abort", changed);
    });
    signal.throwIfAborted();
  }
}

/**
 * Runs something that ends early, by its signal, when the tab is not seen any more, or when the other signal fires. Gives
 * whether it came to an end of its own.
 */
export async function whileSeen(run: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<boolean> {
  const ending = new AbortController();
  const look = (): void => {
    if (document.hidden || signal.aborted) ending.abort();
  };
  document.addEventListener("visibilitychange", look);
  signal.addEventListener("abort", look);
  look();
  try {
    await run(ending.signal);
    return true;
  } catch (error) {
    if (ending.signal.aborted) return false;
    throw error;
  } finally {
    document.removeEventListener("visibilitychange", look);
    signal.removeEventListener("abort", look);
  }
}
