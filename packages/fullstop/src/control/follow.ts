import { checkCount, checkNames } from "../check.ts";
import { systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { GenerationEvent } from "../events.ts";
import { stopOnLeave } from "../leave.ts";
import { Alarm } from "./alarm.ts";
import { Answers } from "./answers.ts";
import type { EventRecords } from "./store.ts";

/** How often to look even if nobody calls: a call can be lost with a connection. */
const LOOK_MILLISECONDS = 1_000;

/** How long a store may take to answer. */
const ANSWER_MILLISECONDS = 10_000;

/** Options of {@link followGeneration}. */
export interface FollowOptions {
  /** How many events the reader has. Default 0. */
  readonly from?: number | undefined;
  /** Ends the following. */
  readonly signal?: AbortSignal | undefined;
  /** Default: that of the machine. */
  readonly clock?: Clock | undefined;
}

type FollowedStore = Pick<EventRecords, "find" | "read" | "watch">;

const NAMES: Readonly<Record<keyof FollowOptions, true>> = { from: true, signal: true, clock: true };

/**
 * Reads the events of a generation from an offset on, every one of them once and in order, in batches, until its
 * finish; while it runs, as they come. Ends without a finish when the generation is not known or was deleted. Rejects
 * when the store cannot be reached or does not answer.
 */
export function followGeneration(
  store: FollowedStore,
  id: string,
  options: FollowOptions = {},
): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
  checkNames("follow options", options, NAMES);
  checkCount("from, the reader's offset,", options.from, 0);
  const leaving = new AbortController();
  return stopOnLeave(follow(store, id, options, leaving.signal), () => leaving.abort());
}

async function* follow(
  store: FollowedStore,
  id: string,
  { from = 0, signal, clock = systemClock }: FollowOptions,
  leaving: AbortSignal,
): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
  if (signal?.aborted === true) return;
  const alarm = new Alarm();
  const answers = new Answers(clock, ANSWER_MILLISECONDS);
  const leave = (): void => {
    answers.close();
    alarm.ring();
  };
  const isLeft = (): boolean => signal?.aborted === true || leaving.aborted;
  // Watched before it is read, so that nothing that comes in between is missed.
  const watching = store.watch(id, () => alarm.ring());
  signal?.addEventListener("abort", leave);
  leaving.addEventListener("abort", leave);
  try {
    await answers.of(watching);
    for (let offset = from; !isLeft();) {
      alarm.reset();
      const batch = await answers.of(store.read(id, offset));
      if (batch.length > 0) {
        offset += batch.length;
        yield batch;
        if (batch.at(-1)?.type === "finish") return;
      } else if (await answers.of(canGrow(store, id, offset))) {
        await alarm.wait(clock, LOOK_MILLISECONDS);
      } else {
        return;
      }
    }
  } catch (error) {
    // Whoever has left is not told what became of the question that was open.
    if (!isLeft()) throw error;
  } finally {
    signal?.removeEventListener("abort", leave);
    // Also a watch that begins only after it was given up has to end.
    watching.then(
      (unwatch) => unwatch(),
      () => undefined,
    );
  }
}

/** Whether events may come after an offset: not in a generation that is not there, or has ended before it. */
async function canGrow(store: Pick<EventRecords, "find">, id: string, offset: number): Promise<boolean> {
  const known = await store.find(id);
  return known !== undefined && (known.signal === undefined || known.events > offset);
}
