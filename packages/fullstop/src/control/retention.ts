import { checkAmount, checkCount, checkNames } from "../check.ts";
import type { DocumentStore } from "./documents.ts";
import type { EndedGeneration, EventRecords } from "./store.ts";

/** How much of what has ended is kept. A limit that is left out does not hold. */
export interface Retention {
  /** How long after its end a generation is kept. */
  readonly maxAgeMilliseconds?: number | undefined;
  /** How many are kept, the last ones. */
  readonly maxCount?: number | undefined;
  /** How much room they may take together. */
  readonly maxBytes?: number | undefined;
}

/** What retention needs of a store, which may have documents as well. */
export type RetainedRecords = Pick<EventRecords, "ended" | "delete"> &
  Partial<Pick<DocumentStore, "deleteExpiredDocuments">>;

const NAMES: Readonly<Record<keyof Retention, true>> = { maxAgeMilliseconds: true, maxCount: true, maxBytes: true };

/**
 * Forgets what is beyond the limits, given what time it is: the newest are kept, as many in a row as fit into all of
 * them. Documents whose time is over are forgotten as well. Returns how many generations it has forgotten.
 */
export async function applyRetention(store: RetainedRecords, retention: Retention, now: number): Promise<number> {
  checkNames("retention", retention, NAMES);
  for (const name of ["maxAgeMilliseconds", "maxBytes"] as const) checkAmount(name, retention[name]);
  checkCount("maxCount", retention.maxCount, 0);
  checkAmount("now", now);
  const forgetGenerations = async (): Promise<readonly boolean[]> =>
    Promise.all(beyond(await store.ended(), retention, now).map(({ id }) => store.delete(id)));
  const [outcomes] = await Promise.all([forgetGenerations(), store.deleteExpiredDocuments?.()]);
  return outcomes.filter(Boolean).length;
}

/** Those that the limits leave no room for, given the oldest first. */
function beyond(
  ended: readonly EndedGeneration[],
  { maxAgeMilliseconds = Infinity, maxCount = Infinity, maxBytes = Infinity }: Retention,
  now: number,
): readonly EndedGeneration[] {
  let kept = 0;
  let bytes = 0;
  // From the newest on: as soon as one does not fit, it and all that are older go.
  const lastGone = ended.findLastIndex((each) => {
    kept += 1;
    bytes += each.bytes;
    return kept > maxCount || bytes > maxBytes || now - each.endedAt > maxAgeMilliseconds;
  });
  return ended.slice(0, lastGone + 1);
}
