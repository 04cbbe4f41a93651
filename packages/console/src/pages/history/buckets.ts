import type { PastGeneration } from "../../api/generations.ts";

/** Endings counted by time and by kind. */
export interface Buckets {
  /** When each bucket begins, in seconds since 1970. */
  readonly times: readonly number[];
  /** How long each of them is, in seconds. */
  readonly length: number;
  /** The kinds, the most frequent first, with the number of endings in each bucket. */
  readonly kinds: readonly Kind[];
}

/** One kind of ending, or one model. */
export interface Kind {
  readonly name: string;
  readonly total: number;
  readonly counts: readonly number[];
}

/** The lengths of a bucket, in seconds, from which the first is taken that makes not too many of them. */
const LENGTHS = [1, 5, 15, 60, 300, 900, 3600, 10_800, 86_400, 604_800];
const MOST_BUCKETS = 60;
/** With less there is nothing to see. */
const FEWEST_BUCKETS = 12;
/** More kinds than these cannot be told apart; the rest is counted together. */
const MOST_KINDS = 7;

/** Counts endings by when they were and by what they are called. */
export function countInBuckets(
  generations: readonly PastGeneration[],
  nameOf: (generation: PastGeneration) => string,
): Buckets {
  const ends = generations.map(({ endedAt }) => Date.parse(endedAt) / 1000);
  if (ends.length === 0) return { times: [], length: 1, kinds: [] };
  const last = Math.max(...ends);
  const span = last - Math.min(...ends);
  const length = LENGTHS.find((each) => span / each <= MOST_BUCKETS) ?? LENGTHS.at(-1)!;
  const lastStart = Math.floor(last / length) * length;
  const count = Math.max(FEWEST_BUCKETS, Math.floor(span / length) + 2);
  const first = lastStart - (count - 1) * length;
  const times = Array.from({ length: count }, (_, index) => first + index * length);
  const counts = new Map<string, number[]>();
  const names = mostFrequent(generations.map(nameOf));
  for (const [index, generation] of generations.entries()) {
    const own = nameOf(generation);
    const name = names.has(own) ? own : "others";
    const row = counts.get(name) ?? times.map(() => 0);
    counts.set(name, row);
    const bucket = Math.floor((ends[index]! - first) / length);
    row[bucket] = (row[bucket] ?? 0) + 1;
  }
  const kinds = [...counts].map(([name, row]) => ({
    name,
    counts: row,
    total: row.reduce((sum, each) => sum + each, 0),
  }));
  return { times, length, kinds: kinds.toSorted((a, b) => b.total - a.total) };
}

function mostFrequent(names: readonly string[]): ReadonlySet<string> {
  const totals = new Map<string, number>();
  for (const name of names) totals.set(name, (totals.get(name) ?? 0) + 1);
  const sorted = [...totals].toSorted(([, a], [, b]) => b - a);
  return new Set(sorted.slice(0, MOST_KINDS).map(([name]) => name));
}

/** Counts that stand on top of each other: each kind with those before it. */
export function stack(kinds: readonly Kind[]): readonly number[][] {
  let below: number[] = [];
  return kinds.map(({ counts }) => {
    below = counts.map((count, index) => count + (below[index] ?? 0));
    return below;
  });
}
