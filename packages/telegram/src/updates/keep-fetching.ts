import type { Clock } from "fullstop";
import { HttpError } from "grammy";
import type { Transformer } from "grammy";

type CallSignal = Parameters<Transformer>[3];

const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 5_000;

/** What keeps updates from being fetched for good: the token is not good any more, or another process fetches them. */
const FINAL: ReadonlySet<number> = new Set([401, 409]);

/**
 * Waits out whatever keeps a bot from fetching its updates, and from ending the webhook before that. The runner of
 * grammY does so, too, but each time twice as long as before: whoever writes after an outage would wait for as long as
 * it has lasted, and so would whoever stops the bot, as its pauses do not end with it.
 */
export function keepFetching(clock: Clock): Transformer {
  return async (call, method, payload, signal) => {
    if (method !== "getUpdates" && method !== "deleteWebhook") return call(method, payload, signal);
    for (let pause = FIRST_PAUSE_MILLISECONDS; ; pause = Math.min(LONGEST_PAUSE_MILLISECONDS, 2 * pause)) {
      let asked = 0;
      try {
        const response = await call(method, payload, signal);
        if (response.ok || !isPassing(method, response.error_code)) return response;
        asked = (response.parameters?.retry_after ?? 0) * 1_000;
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
      }
      await rest(Math.max(asked, pause), clock, signal);
    }
  };
}

function isPassing(method: "getUpdates" | "deleteWebhook", code: number): boolean {
  return method === "getUpdates" ? !FINAL.has(code) : code === 429 || code >= 500;
}

/** Waits, unless the signal fires, which ends it with an error. */
function rest(milliseconds: number, clock: Clock, signal: CallSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      cancel();
      signal?.removeEventListener("abort", settle);
      if (signal?.aborted === true) reject(new Error("No updates are wanted any more"));
      else resolve();
    };
    const cancel = clock.after(milliseconds, settle);
    signal?.addEventListener("abort", settle);
    if (signal?.aborted === true) settle();
  });
}
