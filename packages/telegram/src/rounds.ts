import type { Clock } from "fullstop";

/** Something that is done again and again. */
export interface Round {
  readonly milliseconds: number;
  readonly work: () => Promise<unknown>;
  /** Told of what goes wrong. The next round is made all the same. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Makes rounds, the first one now, one after the other, until the function that it returns is called. The pause is
 * counted from the beginning of a round: with a slow store they would come too late otherwise.
 */
export function startRounds({ milliseconds, work, onFailure }: Round, clock: Clock): () => Promise<void> {
  let endPause: (() => void) | undefined;
  let state: "going" | "over" = "going";
  const isGoing = (): boolean => state === "going";
  const beginPause = (): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(milliseconds, resolve);
      endPause = () => {
        cancel();
        resolve();
      };
    });
  const go = async (): Promise<void> => {
    while (isGoing()) {
      const pause = beginPause();
      try {
        await work();
      } catch (error) {
        onFailure(error);
      }
      await pause;
    }
  };
  const going = go();
  return async () => {
    state = "over";
    endPause?.();
    await going;
  };
}
