import { gtValue, integer, maxValue, minValue, number, optional, pipe } from "valibot";
import type { GenericSchema } from "valibot";
import type { Limits } from "../access/limits.ts";
import type { Prices } from "../models/prices.ts";
import { described, fieldsOf } from "./schemas.ts";

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

/** The longest wait that timers can count. One that is to take longer goes off at once. */
export const LONGEST: number = 2 ** 31 - 1;

const count = pipe(number(), integer(), minValue(1));
const milliseconds = pipe(count, maxValue(LONGEST));

/** The schema of what a key may use. */
export const limits: GenericSchema<Limits> = fieldsOf({
  requestsPerMinute: described(
    optional(pipe(count, maxValue(MOST_REQUESTS_PER_MINUTE))),
    "How many generations may be started within any minute",
  ),
  concurrent: described(optional(count), "How many generations may run at once"),
  tokensPerDay: described(optional(count), "Tokens of input and output together, by the day of UTC"),
  costPerDay: described(
    optional(pipe(number(), gtValue(0))),
    "Money by the day of UTC, in the unit of the prices; models without prices are refused",
  ),
});

/** The schema of {@link ServerLimits}. */
export const serverLimits: GenericSchema<ServerLimitsInput, ServerLimits> = fieldsOf({
  concurrent: described(optional(count), "How many generations may run at once, all together"),
  maxBodyBytes: described(
    optional(count, 32 * 1024 * 1024),
    "The largest body of a request: long conversations with images in them",
  ),
  maxHeaderBytes: described(optional(count, 16 * 1024), "How large the headers of a request may be, all together"),
  maxAnswerBytes: described(
    optional(count, 32 * 1024 * 1024),
    "How much of one answer is held in memory; one that is larger is ended there",
  ),
  maxStopCharacters: described(
    optional(count, 256 * 1024),
    "How long the stop strings of a request may be, all together: everybody waits while they are compiled",
  ),
  requestMilliseconds: described(optional(milliseconds, 60_000), "How long a client may take to send a request"),
  idleMilliseconds: described(optional(milliseconds, 72_000), "How long a connection is kept that nobody uses"),
});

const price = pipe(number(), minValue(0));

/** The schema of a model's prices. */
export const prices: GenericSchema<Prices> = fieldsOf({
  perMillionInputTokens: price,
  perMillionOutputTokens: price,
  perMillionCachedInputTokens: described(optional(price), "Input that was in the cache; as any input if left out"),
  perMillionCacheWriteTokens: described(optional(price), "Input that goes into the cache; as any input if left out"),
});
