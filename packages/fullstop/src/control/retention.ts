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
 * Forgets what is beyond the limits: each that is too old by the clock of the store, and of the others all but the newest
 * ones, as many in a row as fit. Documents whose time is over are forgotten as well. Returns how many generations it has
 * forgotten.
 */
export async function applyRetention(store: RetainedRecords, retention: Retention): Promise<number> {
  checkNames("retention", retention, NAMES);
  for (const name of ["maxAgeMilliseconds", "maxBytes"] as const) checkAmount(name, retention[name]);
  checkCount("maxCount", retention.maxCount, 0);
  const forgetGenerations = async (): Promise<readonly boolean[]> =>
    Promise.all(beyond(await store.ended(), retention).map(({ id }) => store.delete(id)));
  const [outcomes] = await Promise.all([forgetGenerations(), store.deleteExpiredDocuments?.()]);
  return outcomes.filter(Boolean).length;
}

/** Those that the limits leave no room for, given the oldest first. */
function beyond(
  ended: readonly EndedGeneration[],
  { maxAgeMilliseconds = Infinity, maxCount = Infinity, maxBytes = Infinity }: Retention,
): readonly EndedGeneration[] {
  let kept = 0;
  let bytes = 0;
  // Each by itself: one whose time is wrong, because a clock was, does not take those before it along. One of which a
  // store does not tell its age is not too old: what is forgotten by mistake is gone.
  const young = ended.filter((each) => !(each.ageMilliseconds > maxAgeMilliseconds));
  // From the newest on: as soon as one does not fit, it and all that are older go.
  const lastGone = young.findLastIndex((each) => {
    kept += 1;
    bytes += each.bytes;
    return kept > maxCount || bytes > maxBytes;
  });
  const left = new Set(young.slice(lastGone + 1));
  return ended.filter((each) => !left.has(each));
}
