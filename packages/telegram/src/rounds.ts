import type { Clock } from "fullstop";

/** Something that is done again and again. */
export interface Round {
  readonly milliseconds: number;
  readonly work: () => Promise<unknown>;
  /** Told of what goes wrong. The next round is made all the same. */
  readonly onFailure: (error: unknown) => void;
}

/** Makes rounds, the first one now, one after the other, until the function that it returns is called. */
export function startRounds({ milliseconds, work, onFailure }: Round, clock: Clock): () => Promise<void> {
  let cancel: (() => void) | undefined;
  let state: "going" | "over" = "going";
  const isGoing = (): boolean => state === "going";
  const go = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      onFailure(error);
    }
    if (isGoing()) cancel = clock.after(milliseconds, () => void (current = go()));
  };
  let current = go();
  return async () => {
    state = "over";
    cancel?.();
    await current;
  };
}
