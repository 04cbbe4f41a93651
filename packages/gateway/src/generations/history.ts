import type { TerminationSignal, Usage } from "fullstop";
import type { EndedGeneration, GenerationStore, StoredGeneration } from "fullstop/control";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import { inTime } from "./ask-store.ts";
import { answererOf } from "./ending.ts";
import { TOKEN_LIMIT } from "./record-labels.ts";

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
  /** The model that answered, as `provider/model`, where one did. */
  readonly answeredBy?: string;
  readonly usage: Usage | null;
  /** How many tokens it was allowed to write, where somebody has said so. */
  readonly maxOutputTokens?: number;
}

/** A page of the history, the newest first. */
export interface HistoryPage {
  readonly generations: readonly PastGeneration[];
  /** Where the next page goes on: a time after `@`, and mostly an id of this page; null where there is nothing more. */
  readonly next: string | null;
}

/** Which page of the history. */
export interface HistoryQuery {
  readonly limit: number;
  /** The field `next` of the page before. */
  readonly before: string | undefined;
}

/** What a query says of the page that is asked for. */
export const PAGE_PARAMETERS = ["limit", "before"] as const;

const DEFAULT_LIMIT = 100;
const MOST_LIMIT = 1000;
/** How many are looked at together. */
const AT_ONCE = 100;
/** How many are looked at for one page: whoever owns few of many asks again. */
const MOST_LOOKED_AT = 2000;
/** How many of its last events are looked at for token counts. One that was lost with its server may have none at all. */
const LOOKS_BACK = [2, 32, 512];

/** Reads which page of the history is asked for. */
export function readHistoryQuery(query: unknown): HistoryQuery {
  const given: Readonly<Record<string, unknown>> = typeof query === "object" && query !== null ? { ...query } : {};
  const { limit = String(DEFAULT_LIMIT), before } = given;
  // Given twice it is a list, of which nobody knows which one is meant.
  const count = typeof limit === "string" ? Number(limit) : Number.NaN;
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
  const ended = (await inTime(store.ended())).toSorted(newestFirst);
  const start = before === undefined ? 0 : await placeAfter(store, ended, owner, before);
  const end = endOfLook(ended, start + MOST_LOOKED_AT);
  const found: PastGeneration[] = [];
  let last = start;
  while (last < end && found.length < limit) {
    const batch = ended.slice(last, Math.min(end, last + Math.min(AT_ONCE, limit - found.length)));
    last += batch.length;
    const each = await Promise.all(
      batch.map(async ({ id, endedAt, bytes }) => {
        const stored = await inTime(store.find(id));
        if (stored === undefined || (owner !== undefined && stored.owner !== owner)) return undefined;
        return describe(stored, { endedAt, bytes, usage: await lastUsage(store, stored) });
      }),
    );
    for (const generation of each) if (generation !== undefined) found.push(generation);
  }
  if (last >= ended.length) return { generations: found, next: null };
  const time = `@${ended[last - 1]?.endedAt}`;
  // A page that is full ends with the last one that was looked at. Otherwise that may be somebody else's, whose id is
  // nobody's business.
  return { generations: found, next: found.length >= limit ? `${time}.${found.at(-1)?.id}` : time };
}

/** What the order of the history goes by. */
type Moment = Pick<EndedGeneration, "id" | "endedAt">;

/** The order of the history. In one moment it is that of the ids: a place in it has to be found without its row. */
function newestFirst(one: Moment, other: Moment): number {
  return other.endedAt - one.endedAt || (one.id < other.id ? 1 : -1);
}

/** Behind everything of a moment, or behind an id in it. */
const PLACE = /^@(?<time>\d{1,15})(?:\.(?<id>.+))?$/su;

/**
 * Where a page begins. Whatever was deleted in the meantime, nothing comes twice and nothing is left out. Older cursors
 * are ids alone; with one that belongs to somebody else the pages begin with the newest, as they do without a cursor.
 */
async function placeAfter(
  store: GenerationStore,
  ended: readonly EndedGeneration[],
  owner: string | undefined,
  before: string,
): Promise<number> {
  const { time, id } = PLACE.exec(before)?.groups ?? {};
  if (time !== undefined) {
    const last = { id: id ?? "", endedAt: Number(time) };
    const place = ended.findIndex((each) => newestFirst(last, each) < 0 && each.id !== id);
    return place === -1 ? ended.length : place;
  }
  const stored = await inTime(store.find(before));
  const isTheirs = stored !== undefined && (owner === undefined || stored.owner === owner);
  return isTheirs ? ended.findIndex((each) => each.id === before) + 1 : 0;
}

/**
 * Where the search for one page ends at the latest. Those that have ended in the same millisecond are not parted, because
 * a cursor by time goes on at the next one.
 */
function endOfLook(ended: readonly EndedGeneration[], most: number): number {
  let end = Math.min(ended.length, most);
  while (end < ended.length && ended[end]?.endedAt === ended[end - 1]?.endedAt) end += 1;
  return end;
}

function describe(
  { id, owner, model, holder, startedAt, events, signal, labels = {} }: StoredGeneration,
  { endedAt, bytes, usage }: { readonly endedAt: number; readonly bytes: number; readonly usage: Usage | null },
): PastGeneration | undefined {
  if (signal === undefined) return undefined;
  const [began, over] = [startedAt, endedAt].map((time) => new Date(time).toISOString());
  const past = { id, owner, model, replica: holder, startedAt: began!, endedAt: over!, events, bytes, signal, usage };
  const limit = labels[TOKEN_LIMIT];
  const answeredBy = answererOf(signal);
  return {
    ...past,
    ...(answeredBy !== undefined && { answeredBy }),
    ...(limit !== undefined && { maxOutputTokens: Number(limit) }),
  };
}

/**
 * The last token counts. They stand right before the end of most answers. Behind them come the ends of tool calls, and
 * text that was held back until the end, so that more is read of those that have none there.
 */
async function lastUsage(store: GenerationStore, { id, events }: StoredGeneration): Promise<Usage | null> {
  let end = events;
  for (const count of LOOKS_BACK) {
    const from = Math.max(0, events - count);
    const usage = await usageBetween(store, id, from, end);
    if (usage !== undefined) return usage;
    end = from;
  }
  return null;
}

async function usageBetween(store: GenerationStore, id: string, from: number, end: number): Promise<Usage | undefined> {
  let usage: Usage | undefined;
  for (let offset = from; offset < end;) {
    const batch = await inTime(store.read(id, offset));
    // It was deleted in the meantime.
    if (batch.length === 0) break;
    usage = batch.findLast((event) => event.type === "usage")?.usage ?? usage;
    offset += batch.length;
  }
  return usage;
}
