import { z } from "zod";

/** Where generations are kept. */
export type StorePlace =
  | { readonly kind: "memory" }
  | { readonly kind: "sqlite"; readonly file?: string | undefined }
  | { readonly kind: "redis"; readonly urlEnv: string; readonly cluster?: boolean | undefined };

/** How much of what has ended is kept. */
interface RetentionConfig {
  readonly maxAgeMilliseconds: number;
  readonly maxCount: number;
  /** As much as is usual for the place if left out. */
  readonly maxBytes?: number | undefined;
}

/** Where generations are kept, what of them, and for how long. */
export interface StoreConfig {
  readonly place?: StorePlace | undefined;
  readonly content: boolean;
  readonly retention: RetentionConfig;
  readonly leaseMilliseconds: number;
}

/** {@link RetentionConfig} as it is written. */
type RetentionInput = { readonly [Name in keyof RetentionConfig]?: number | undefined };

/** {@link StoreConfig} as it is written. */
export interface StoreConfigInput {
  readonly place?: StorePlace | undefined;
  readonly content?: boolean | undefined;
  readonly retention?: RetentionInput | undefined;
  readonly leaseMilliseconds?: number | undefined;
}

const HOUR = 3_600_000;

const place: z.ZodType<StorePlace, StorePlace> = z.union([
  z.strictObject({ kind: z.literal("memory").describe("For as long as the server runs") }),
  z.strictObject({
    kind: z.literal("sqlite").describe("In a file, for one server"),
    file: z.string().min(1).optional().describe("Where it is; in the user's folder for such things if left out"),
  }),
  z.strictObject({
    kind: z.literal("redis").describe("In Redis or Valkey, for any number of servers"),
    urlEnv: z
      .string()
      .min(1)
      .describe("The variable of the environment that holds its address, or those of a cluster with commas between"),
    cluster: z.boolean().optional().describe("Whether it is a cluster; if left out, where there are several addresses"),
  }),
]);

const retention: z.ZodType<RetentionConfig, RetentionInput> = z.strictObject({
  maxAgeMilliseconds: z
    .int()
    .min(0)
    .default(24 * HOUR)
    .describe("How long after its end a generation is kept"),
  maxCount: z.int().min(0).default(10_000).describe("How many are kept, the last ones"),
  maxBytes: z
    .int()
    .min(0)
    .optional()
    .describe("How much room they may take together; 32 MiB in memory, else 1 GiB, if left out"),
});

/** The schema of {@link StoreConfig}. */
export const store: z.ZodType<StoreConfig, StoreConfigInput> = z.strictObject({
  place: place.optional().describe("Where generations are kept; FULLSTOP_STORE counts more (default: in a file)"),
  content: z.boolean().default(true).describe("Whether what was written is kept, or only how much and how it ended"),
  retention: retention.prefault({}).describe("How much of what has ended is kept"),
  leaseMilliseconds: z
    .int()
    .min(100)
    .max(600_000)
    .default(10_000)
    .describe("How soon after a server has died others end what it was generating"),
});
