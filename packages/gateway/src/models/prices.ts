import type { Usage } from "fullstop";

/** What a model's tokens cost, a million of each kind, in a unit of the configuration's own. */
export interface Prices {
  readonly perMillionInputTokens: number;
  readonly perMillionOutputTokens: number;
  /** Input that the provider had seen before. As any input, if left out. */
  readonly perMillionCachedInputTokens?: number | undefined;
  /** Input that the provider keeps for the next time. As any input, if left out. */
  readonly perMillionCacheWriteTokens?: number | undefined;
}

/** The prices of a model that costs whoever runs the gateway nothing by the token. */
export const FREE: Prices = { perMillionInputTokens: 0, perMillionOutputTokens: 0 };

/** What an answer has cost. */
export function costOf(usage: Usage, prices: Prices): number {
  const { inputTokens, outputTokens, cachedInputTokens: cached = 0, cacheWriteTokens: written = 0 } = usage;
  const { perMillionInputTokens: plain, perMillionCachedInputTokens: forCached = plain } = prices;
  const { perMillionCacheWriteTokens: forWritten = plain, perMillionOutputTokens: forOutput } = prices;
  // What was read from a cache or written to it is a part of the input.
  const rest = Math.max(0, inputTokens - cached - written);
  return (rest * plain + cached * forCached + written * forWritten + outputTokens * forOutput) / 1_000_000;
}
