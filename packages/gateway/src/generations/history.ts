import type { TerminationSignal, Usage } from "fullstop";
import type { GenerationStore, StoredGeneration } from "fullstop/control";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";

/** A generation that has ended, as the history tells of it. */
interface PastGeneration {
  readonly id: string;
  readonly owner: string;
  readonly model: string;
  readonly replica: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly events: number;
  readonly bytes: number;
  readonly signal: TerminationSignal;
  readonly usage: Usage | null;
  /** How many tokens it was allowed to write, where somebody has said so. */
  readonly maxOutputTokens?: number;
}

/** The label under which it is recorded how many tokens a generation may write. */
export const TOKEN_LIMIT = "maxOutputTokens";

/** A page of the history, the newest first. */
export interface HistoryPage {
  readonly generations: readonly PastGeneration[];
  /** The id after which the next page goes on; null where there is nothing more. */
  readonly next: string | null;
}

/** Which page of the history. */
export interface HistoryQuery {
  readonly limit: number;
  /** The last id of the page before. */
  readonly before: string | undefined;
}

const DEFAULT_LIMIT = 100;
const MOST_LIMIT = 1000;
/** How many are looked at together. */
const AT_ONCE = 100;
/** How many are looked at for one page: whoever owns few of many asks again. */
const MOST_LOOKED_AT = 2000;

/** Reads which page of the history is asked for. */
export function readHistoryQuery(query: unknown): HistoryQuery {
  const given: Readonly<Record<string, unknown>> = typeof query === "object" && query !== null ? { ...query } : {};
  const { limit = DEFAULT_LIMIT, before } = given;
  const count = Number(limit);
  if (!Number.isSafeInteger(count) || count < 1 || count > MOST_LIMIT) {
    const found = quoteValue(limit);
    throw new RequestError("invalid_request", `limit must be a whole number from 1 to ${MOST_LIMIT}, got ${found}`);
  }
  return { limit: count, before: typeof before === "string" ? before : undefined };
}

/** Gives what has ended, of one owner or of all. */
export async function readHistory(
  store: GenerationStore,
  owner: string | undefined,
  { limit, before }: HistoryQuery,
): Promise<HistoryPage> {
  const ended = (await store.ended()).toReversed();
  const start = before === undefined ? 0 : ended.findIndex(({ id }) => id === before) + 1;
  const found: PastGeneration[] = [];
  let last = start;
  for (const most = start + MOST_LOOKED_AT; last < Math.min(ended.length, most) && found.length < limit;) {
    const batch = ended.slice(last, last + Math.min(AT_ONCE, limit - found.length));
    last += batch.length;
    const each = await Promise.all(
      batch.map(async ({ id, endedAt, bytes }) => {
        const stored = await store.find(id);
        if (stored === undefined || (owner !== undefined && stored.owner !== owner)) return undefined;
        return describe(stored, { endedAt, bytes, usage: await lastUsage(store, stored) });
      }),
    );
    found.push(...each.filter((generation) => generation !== undefined));
  }
  return { generations: found, next: last < ended.length ? (ended[last - 1]?.id ?? null) : null };
}

function describe(
  { id, owner, model, holder, startedAt, events, signal, labels = {} }: StoredGeneration,
  { endedAt, bytes, usage }: { readonly endedAt: number; readonly bytes: number; readonly usage: Usage | null },
): PastGeneration | undefined {
  if (signal === undefined) return undefined;
  const [began, over] = [startedAt, endedAt].map((time) => new Date(time).toISOString());
  const past = { id, owner, model, replica: holder, startedAt: began!, endedAt: over!, events, bytes, signal, usage };
  const limit = labels[TOKEN_LIMIT];
  return limit === undefined ? past : { ...past, maxOutputTokens: Number(limit) };
}

/** Token counts stand right before the end. */
async function lastUsage(store: GenerationStore, { id, events }: StoredGeneration): Promise<Usage | null> {
  const tail = await store.read(id, Math.max(0, events - 2));
  return tail.findLast((event) => event.type === "usage")?.usage ?? null;
}
