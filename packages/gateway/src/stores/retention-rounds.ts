import { applyRetention } from "fullstop/control";
import type { GenerationStore, Retention } from "fullstop/control";

/** How many milliseconds pass between two looks for what is beyond the limits. */
const ROUND_MILLISECONDS = 10_000;

/** Forgets what is beyond the limits, from time to time, until the function that it returns is called. */
export function startRetention(
  store: GenerationStore,
  retention: Retention,
  onFailure: (error: unknown) => void,
): () => void {
  const round = (): void => {
    applyRetention(store, retention).catch(onFailure);
  };
  round();
  const timer = setInterval(round, ROUND_MILLISECONDS).unref();
  return () => clearInterval(timer);
}
