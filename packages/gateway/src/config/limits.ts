import { z } from "zod";
import type { Limits } from "../access/limits.ts";
import type { Prices } from "../models/prices.ts";

/** What clients may do to the server, whoever they are. */
export interface ServerLimits {
  readonly concurrent?: number | undefined;
  readonly maxBodyBytes: number;
  readonly maxHeaderBytes: number;
  readonly maxAnswerBytes: number;
  readonly maxStopCharacters: number;
  readonly requestMilliseconds: number;
  readonly idleMilliseconds: number;
}

/** {@link ServerLimits} as they are written: those that are left out are as usual. */
export type ServerLimitsInput = { readonly [Name in keyof ServerLimits]?: ServerLimits[Name] | undefined };

/** More would be a mistake: a place is kept for each. */
const MOST_REQUESTS_PER_MINUTE = 1_000_000;

/** The longest wait that timers can count. */
const LONGEST = 2 ** 31 - 1;

const count = z.int().min(1);
const milliseconds = count.max(LONGEST);

/** The schema of what a key may use. */
export const limits: z.ZodType<Limits> = z.strictObject({
  requestsPerMinute: count
    .max(MOST_REQUESTS_PER_MINUTE)
    .optional()
    .describe("How many generations may be started within any minute"),
  concurrent: count.optional().describe("How many generations may run at once"),
  tokensPerDay: count.optional().describe("Tokens of input and output together, by the day of UTC"),
  costPerDay: z
    .number()
    .positive()
    .optional()
    .describe("Money by the day of UTC, in the unit of the prices; models without prices are refused"),
});

/** The schema of {@link ServerLimits}. */
export const serverLimits: z.ZodType<ServerLimits, ServerLimitsInput> = z.strictObject({
  concurrent: count.optional().describe("How many generations may run at once, all together"),
  maxBodyBytes: count
    .default(32 * 1024 * 1024)
    .describe("The largest body of a request: long conversations with images in them"),
  maxHeaderBytes: count.default(16 * 1024).describe("How large the headers of a request may be, all together"),
  maxAnswerBytes: count
    .default(32 * 1024 * 1024)
    .describe("How much of one answer is held in memory; one that is larger is ended there"),
  maxStopCharacters: count
    .default(256 * 1024)
    .describe("How long the stop strings of a request may be, all together: everybody waits while they are compiled"),
  requestMilliseconds: milliseconds.default(60_000).describe("How long a client may take to send a request"),
  idleMilliseconds: milliseconds.default(72_000).describe("How long a connection is kept that nobody uses"),
});

const price = z.number().min(0);

/** The schema of a model's prices. */
export const prices: z.ZodType<Prices> = z.strictObject({
  perMillionInputTokens: price,
  perMillionOutputTokens: price,
  perMillionCachedInputTokens: price.optional().describe("Input that was in the cache; as any input if left out"),
  perMillionCacheWriteTokens: price.optional().describe("Input that goes into the cache; as any input if left out"),
});
