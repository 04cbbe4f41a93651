import type { Timeouts } from "fullstop/engines";
import { z } from "zod";
import type { Limits } from "../access/limits.ts";
import type { Prices } from "../models/prices.ts";
import { LOG_LEVELS } from "../operations/logs.ts";
import type { LogLevel } from "../operations/logs.ts";
import { ConfigError, describeIssues } from "./config-error.ts";
import { limits, prices, serverLimits } from "./limits.ts";
import type { ServerLimits } from "./limits.ts";
import { store } from "./store.ts";
import type { StoreConfig } from "./store.ts";

/** A server whose models go by `name/model`. */
export interface ProviderConfig {
  readonly baseUrl: string;
  readonly apiKeyEnv?: string | undefined;
  readonly callerKey?: boolean | undefined;
  readonly dialect: "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini";
  readonly timeouts?: Timeouts | undefined;
  readonly control?: "llama.cpp" | undefined;
}

/** A provider that is known by its name, and asked with the keys that callers bring. */
interface KnownProviderConfig {
  readonly callerKey: true;
  readonly timeouts?: Timeouts | undefined;
}

/** The `fullstop` object of requests that do not say otherwise, not looked into yet. */
type Defaults = Readonly<Record<string, unknown>>;

/** What can be said of any model. */
interface ModelDetails {
  readonly defaults?: Defaults | undefined;
  readonly prices?: Prices | undefined;
}

/** A model on this machine. */
interface LocalModelConfig extends ModelDetails {
  readonly local: string;
  readonly sequences?: number | undefined;
  readonly contextTokens?: number | undefined;
  readonly threads?: number | undefined;
}

/** A provider's model, by a name of its own. */
interface RemoteModelConfig extends ModelDetails {
  readonly provider: string;
  readonly model: string;
}

/** A key that opens the gateway. */
interface KeyConfig {
  readonly name: string;
  readonly sha256: string;
  readonly models?: readonly string[] | undefined;
  readonly operator?: boolean | undefined;
  readonly limits?: Limits | undefined;
  readonly defaults?: Defaults | undefined;
}

/** A configuration, checked and filled in. What its fields mean stands in its JSON Schema. */
export interface GatewayConfig {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly shutdownMilliseconds: number;
  readonly limits: ServerLimits;
  readonly allowedOrigins: readonly string[];
  readonly anonymous?: Limits | undefined;
  readonly providers: Readonly<Record<string, ProviderConfig | KnownProviderConfig>>;
  /** Without a place, it is the model of that name, `provider/model`. */
  readonly models: Readonly<Record<string, LocalModelConfig | RemoteModelConfig | ModelDetails>>;
  readonly aliases: Readonly<Record<string, string>>;
  readonly fallbacks: Readonly<Record<string, readonly string[]>>;
  readonly keys: readonly KeyConfig[];
  readonly defaults: Defaults;
  readonly logs: { readonly level?: LogLevel | undefined; readonly content: boolean };
  readonly metrics: { readonly public: boolean };
  readonly replica?: string | undefined;
  readonly store: StoreConfig;
}

const name = z.string().regex(/^[\w.-]+$/u, "must be made of letters, digits, dots, dashes and underscores");
const modelName = z.string().min(1);

const milliseconds = z.number().positive();

const timeouts = z.strictObject({
  firstByteMilliseconds: milliseconds.optional().describe("For the answer to begin"),
  silenceMilliseconds: milliseconds.optional().describe("For the next sign of life, whatever it is"),
  totalMilliseconds: milliseconds.optional().describe("For all of it"),
});

const waiting = timeouts.optional().describe("How long to wait for it");
const callerKey = "Whether callers bring the key for it, each their own";

const provider = z.union([
  z.strictObject({
    baseUrl: z.url({ protocol: /^https?$/u }).describe("Where it is, such as http://127.0.0.1:8000/v1"),
    apiKeyEnv: z.string().optional().describe("The variable of the environment that holds its key"),
    callerKey: z.boolean().optional().describe(callerKey),
    dialect: z
      .enum(["openai-chat", "openai-responses", "anthropic-messages", "gemini"])
      .default("openai-chat")
      .describe("What it speaks"),
    timeouts: waiting,
    control: z
      .literal("llama.cpp")
      .optional()
      .describe("For a llama.cpp server: thinking is skipped by its own control, within the same answer"),
  }),
  z.strictObject({ callerKey: z.literal(true).describe(callerKey), timeouts: waiting }),
]);

const defaults = z.record(z.string(), z.unknown());

const modelDetails = {
  defaults: defaults.optional().describe("The fullstop object of requests for it that do not say otherwise"),
  prices: prices.optional().describe("What its tokens cost, a million of each kind, in any unit of money"),
};

const absent = z.never().optional();

const model = z.union([
  z.strictObject({
    local: z
      .string()
      .min(1)
      .describe('"pip", the path of a GGUF file, or one to download, such as hf:user/model:quant'),
    sequences: z.int().min(1).optional().describe("How many generations run at once"),
    contextTokens: z.int().min(64).optional(),
    threads: z.int().min(1).optional(),
    ...modelDetails,
  }),
  z.strictObject({
    provider: name.describe("A provider by its name"),
    model: modelName.describe("What the model is called there"),
    ...modelDetails,
  }),
  // The fields of the other forms are named so that one with a mistake is not taken for this form with fields too many.
  z
    .strictObject({ local: absent, provider: absent, model: absent, ...modelDetails })
    .describe("More about the model that goes by this name, provider/model"),
]);

const key = z.strictObject({
  name: name.describe("Who has it"),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/u, "must be the SHA-256 of the key, in hexadecimal")
    .describe("The hash of the key; the key itself is nowhere"),
  models: z.array(modelName).optional().describe("The models it may ask; all of them if left out"),
  operator: z.boolean().optional().describe("Whether it may see and stop everybody's generations"),
  limits: limits.optional().describe("How much may be used with it; keys of one name count together"),
  defaults: defaults.optional().describe("The fullstop object of requests with it that do not say otherwise"),
});

const origin = z
  .string()
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    "must be an origin, such as https://example.com",
  );
const logs = z.strictObject({
  level: z.enum(LOG_LEVELS).optional().describe("How much is logged; FULLSTOP_LOG_LEVEL counts more (default: info)"),
  content: z.boolean().default(false).describe("Whether what people and models write is logged, too"),
});

const metrics = z.strictObject({
  public: z.boolean().default(false).describe("Whether /metrics can be read without the key of an operator"),
});

const schema = z.strictObject({
  $schema: z.string().optional(),
  host: z.string().min(1).optional(),
  port: z.int().min(0).max(65_535).optional(),
  shutdownMilliseconds: z
    .int()
    .min(0)
    .default(10_000)
    .describe("How long running answers may go on when the server is told to end, before it stops them"),
  limits: serverLimits.prefault({}).describe("What clients may do to the server, whoever they are"),
  allowedOrigins: z
    .array(origin)
    .default([])
    .describe("The origins whose pages may ask from a browser, such as https://example.com"),
  anonymous: limits.optional().describe("How much may be used by all together where there are no keys"),
  providers: z.record(name, provider).default({}).describe("Servers by name; their models go by name/model"),
  models: z.record(modelName, model).default({}).describe("Models by names of their own"),
  aliases: z.record(modelName, modelName).default({}).describe("Other names of models"),
  fallbacks: z
    .record(modelName, z.array(modelName).min(1))
    .default({})
    .describe("Which models are asked instead, in turn, when one fails before it has said anything"),
  keys: z.array(key).default([]).describe("Who may come in; nobody but this machine's own programs if there are none"),
  defaults: defaults.default({}).describe("The fullstop object of every request that does not say otherwise"),
  logs: logs.prefault({}).describe("What is written to standard error, as lines of JSON"),
  metrics: metrics.prefault({}).describe("Who may see how the server is doing"),
  replica: name.optional().describe("What this server is called where there are several; its host's name if left out"),
  store: store.prefault({}).describe("Where generations are kept, what of them, and for how long"),
});

/** Checks a configuration as it was read. */
export function parseConfig(value: unknown): GatewayConfig {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ConfigError(describeIssues(result.error.issues));
}

/** The JSON Schema of a configuration file. */
export function configJsonSchema(): object {
  return z.toJSONSchema(schema, { io: "input" });
}
