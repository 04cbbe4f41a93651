import { systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { GenerationEvent } from "../events.ts";
import { Alarm } from "./alarm.ts";
import type { EventRecords } from "./store.ts";

/** How often to look even if nobody calls: a call can be lost with a connection. */
const LOOK_MILLISECONDS = 1_000;

/** Options of {@link followGeneration}. */
export interface FollowOptions {
  /** How many events the reader has. Default 0. */
  readonly from?: number | undefined;
  /** Ends the following. */
  readonly signal?: AbortSignal | undefined;
  /** Default: that of the machine. */
  readonly clock?: Clock | undefined;
}

/**
 * Reads the events of a generation from an offset on, every one of them once and in order, in batches, until its
 * finish; while it runs, as they come. Ends without a finish when the generation is not known or was deleted. Rejects
 * when the store cannot be reached.
 */
export async function* followGeneration(
  store: Pick<EventRecords, "find" | "read" | "watch">,
  id: string,
  { from = 0, signal, clock = systemClock }: FollowOptions = {},
): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
  const alarm = new Alarm();
  const ring = (): void => alarm.ring();
  const isLeft = (): boolean => signal?.aborted === true;
  // Watched before it is read, so that nothing that comes in between is missed.
  const unwatch = await store.watch(id, ring);
  signal?.addEventListener("abort", ring);
  try {
    for (let offset = from; !isLeft();) {
      alarm.reset();
      const batch = await store.read(id, offset);
      if (batch.length > 0) {
        offset += batch.length;
        yield batch;
        if (batch.at(-1)?.type === "finish") return;
      } else if (await canGrow(store, id, offset)) {
        await alarm.wait(clock, LOOK_MILLISECONDS);
      } else {
        return;
      }
    }
  } finally {
    signal?.removeEventListener("abort", ring);
    unwatch();
  }
}

/** Whether events may come after an offset: not in a generation that is not there, or has ended before it. */
async function canGrow(store: Pick<EventRecords, "find">, id: string, offset: number): Promise<boolean> {
  const known = await store.find(id);
  return known !== undefined && (known.signal === undefined || known.events > offset);
}
