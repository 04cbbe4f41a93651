import type { Clock } from "../clock.ts";

/** How long an answer is waited for. */
export interface Patience {
  readonly clock: Clock;
  readonly milliseconds: number;
  /** Ends the waiting, whatever becomes of the answer. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What a store answers; rejects when that takes too long or nobody waits for it any more. A connection that is dead
 * without knowing it answers nothing at all, and whoever waited for it would wait for ever.
 */
export function within<T>(answer: Promise<T>, { clock, milliseconds, signal }: Patience): Promise<T> {
  return new Promise((resolve, reject) => {
    const letGo = (): void => {
      cancel();
      signal?.removeEventListener("abort", leave);
    };
    const leave = (): void => {
      letGo();
      reject(new Error("Nobody waits for the store's answer any more"));
    };
    const cancel = clock.after(milliseconds, () => {
      letGo();
      reject(new Error(`The store has not answered for ${milliseconds} ms`));
    });
    answer.finally(letGo).then(resolve, reject);
    if (signal?.aborted === true) leave();
    else signal?.addEventListener("abort", leave);
  });
}
