import type { Timeouts } from "fullstop/engines";
import { z } from "zod";
import type { AccessKey } from "../access/gatekeeper.ts";
import { DEFAULT_BOUNDS } from "../generations/bounds.ts";
import type { GenerationBounds } from "../generations/bounds.ts";

/** A server whose models go by `name/model`. */
interface ProviderConfig {
  readonly baseUrl: string;
  readonly apiKeyEnv?: string | undefined;
  readonly dialect: "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini";
  readonly timeouts?: Timeouts | undefined;
}

/** A model on this machine. */
interface LocalModelConfig {
  readonly local: string;
  readonly sequences?: number | undefined;
  readonly contextTokens?: number | undefined;
  readonly threads?: number | undefined;
}

/** A provider's model, by a name of its own. */
interface RemoteModelConfig {
  readonly provider: string;
  readonly model: string;
}

/** A configuration, checked and filled in. What its fields mean stands in its JSON Schema. */
export interface GatewayConfig {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly replica?: string | undefined;
  readonly shutdownMilliseconds: number;
  readonly bounds: GenerationBounds;
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly models: Readonly<Record<string, LocalModelConfig | RemoteModelConfig>>;
  readonly aliases: Readonly<Record<string, string>>;
  readonly fallbacks: Readonly<Record<string, readonly string[]>>;
  readonly keys: readonly AccessKey[];
  readonly defaults: Readonly<Record<string, unknown>>;
}

const name = z.string().regex(/^[\w.-]+$/u, "must be made of letters, digits, dots, dashes and underscores");
const modelName = z.string().min(1);

const milliseconds = z.number().positive();

const timeouts = z.strictObject({
  firstByteMilliseconds: milliseconds.optional().describe("For the answer to begin"),
  silenceMilliseconds: milliseconds.optional().describe("For the next sign of life, whatever it is"),
  totalMilliseconds: milliseconds.optional().describe("For all of it"),
});

const provider = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/u }).describe("Where it is, such as http://127.0.0.1:8000/v1"),
  apiKeyEnv: z.string().optional().describe("The variable of the environment that holds its key"),
  dialect: z
    .enum(["openai-chat", "openai-responses", "anthropic-messages", "gemini"])
    .default("openai-chat")
    .describe("What it speaks"),
  timeouts: timeouts.optional().describe("How long to wait for it"),
});

const model = z.union([
  z.strictObject({
    local: z
      .string()
      .min(1)
      .describe('"pip", the path of a GGUF file, or one to download, such as hf:user/model:quant'),
    sequences: z.int().min(1).optional().describe("How many generations run at once"),
    contextTokens: z.int().min(64).optional(),
    threads: z.int().min(1).optional(),
  }),
  z.strictObject({
    provider: name.describe("A provider by its name"),
    model: modelName.describe("What the model is called there"),
  }),
]);

const key = z.strictObject({
  name: name.describe("Who has it"),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/u, "must be the SHA-256 of the key, in hexadecimal")
    .describe("The hash of the key; the key itself is nowhere"),
  models: z.array(modelName).optional().describe("The models it may ask; all of them if left out"),
  operator: z.boolean().optional().describe("Whether it may see and stop everybody's generations"),
});

const bounds = z.strictObject({
  answerBytes: z
    .int()
    .min(1)
    .default(DEFAULT_BOUNDS.answerBytes)
    .describe("How many bytes one answer may have; one that is larger is ended there"),
  keptAnswers: z
    .int()
    .min(0)
    .default(DEFAULT_BOUNDS.keptAnswers)
    .describe("How many answers that have ended are kept for late readers"),
  keptBytes: z
    .int()
    .min(0)
    .default(DEFAULT_BOUNDS.keptBytes)
    .describe("How many bytes they may have together; the last one is kept whatever its size"),
  keptMilliseconds: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .default(DEFAULT_BOUNDS.keptMilliseconds)
    .describe("For how long each of them is kept"),
});

const schema = z.strictObject({
  $schema: z.string().optional(),
  host: z.string().min(1).optional(),
  port: z.int().min(0).max(65_535).optional(),
  replica: name.optional().describe("What this gateway is called where there are several; its host and process if not"),
  shutdownMilliseconds: z
    .int()
    .min(0)
    .default(10_000)
    .describe("How long running answers may go on when the server is told to end, before it stops them"),
  bounds: bounds.prefault({}).describe("How much of what was generated is held in memory"),
  providers: z.record(name, provider).default({}).describe("Servers by name; their models go by name/model"),
  models: z.record(modelName, model).default({}).describe("Models by names of their own"),
  aliases: z.record(modelName, modelName).default({}).describe("Other names of models"),
  fallbacks: z
    .record(modelName, z.array(modelName).min(1))
    .default({})
    .describe("Which models are asked instead, in turn, when one fails before it has said anything"),
  keys: z.array(key).default([]).describe("Who may come in; nobody but this machine's own programs if there are none"),
  defaults: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("The fullstop object of every request that does not say otherwise"),
});

/** A configuration that cannot be used; the message says where and why. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}

/** Checks a configuration as it was read. */
export function parseConfig(value: unknown): GatewayConfig {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".") || "the file"}: ${message}`);
  throw new ConfigError(problems.join("; "));
}

/** The JSON Schema of a configuration file. */
export function configJsonSchema(): object {
  return z.toJSONSchema(schema, { io: "input" });
}
