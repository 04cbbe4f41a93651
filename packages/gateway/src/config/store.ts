import {
  boolean,
  integer,
  literal,
  maxValue,
  minValue,
  nonEmpty,
  number,
  optional,
  pipe,
  string,
  variant,
} from "valibot";
import type { GenericSchema } from "valibot";
import { described, fieldsOf } from "./schemas.ts";

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

const text = pipe(string(), nonEmpty("must not be empty"));
const amount = pipe(number(), integer(), minValue(0));

const place: GenericSchema<StorePlace> = variant("kind", [
  fieldsOf({ kind: described(literal("memory"), "For as long as the server runs") }),
  fieldsOf({
    kind: described(literal("sqlite"), "In a file, for one server"),
    file: described(optional(text), "Where it is; in the user's folder for such things if left out"),
  }),
  fieldsOf({
    kind: described(literal("redis"), "In Redis or Valkey, for any number of servers"),
    urlEnv: described(
      text,
      "The variable of the environment that holds its address, or those of a cluster with commas between",
    ),
    cluster: described(optional(boolean()), "Whether it is a cluster; if left out, where there are several addresses"),
  }),
]);

const retention: GenericSchema<RetentionInput, RetentionConfig> = fieldsOf({
  maxAgeMilliseconds: described(optional(amount, 24 * HOUR), "How long after its end a generation is kept"),
  maxCount: described(optional(amount, 10_000), "How many are kept, the last ones"),
  maxBytes: described(
    optional(amount),
    "How much room they may take together; 32 MiB in memory, else 1 GiB, if left out",
  ),
});

/** The schema of {@link StoreConfig}. */
export const store: GenericSchema<StoreConfigInput, StoreConfig> = fieldsOf({
  place: described(optional(place), "Where generations are kept; FULLSTOP_STORE counts more (default: in a file)"),
  content: described(optional(boolean(), true), "Whether what was written is kept, or only how much and how it ended"),
  retention: described(optional(retention, {}), "How much of what has ended is kept"),
  leaseMilliseconds: described(
    optional(pipe(number(), integer(), minValue(100), maxValue(600_000)), 10_000),
    "How soon after a server has died others end what it was generating",
  ),
});
