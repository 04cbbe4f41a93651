import type { Timeouts } from "fullstop/engines";
import {
  array,
  boolean,
  check,
  gtValue,
  integer,
  literal,
  maxValue,
  minLength,
  minValue,
  never,
  nonEmpty,
  number,
  optional,
  picklist,
  pipe,
  regex,
  safeParse,
  string,
  unknown,
  url,
} from "valibot";
import type { GenericSchema } from "valibot";
import { SHA256 } from "../access/gatekeeper.ts";
import type { Limits } from "../access/limits.ts";
import type { Prices } from "../models/prices.ts";
import { LOG_LEVELS } from "../operations/logs.ts";
import type { LogLevel } from "../operations/logs.ts";
import { ConfigError, describeIssues, sayWhatIsExpected } from "./config-error.ts";
import { LONGEST, limits, prices, serverLimits } from "./limits.ts";
import type { ServerLimits } from "./limits.ts";
import { closestOf, described, fieldsOf, namedBy } from "./schemas.ts";
import { store } from "./store.ts";
import type { StoreConfig } from "./store.ts";

/** A server whose models go by `name/model`. */
export interface ProviderConfig {
  readonly baseUrl: string;
  readonly apiKeyEnv?: string | undefined;
  readonly callerKey?: boolean | undefined;
  readonly dialect: "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini" | "ollama-chat";
  readonly timeouts?: Timeouts | undefined;
  readonly control?: "llama.cpp" | undefined;
  readonly reasoningField?: "reasoning_content" | "reasoning" | "reasoning_details" | undefined;
  readonly listModels?: boolean | undefined;
  readonly streams?: boolean | undefined;
}

/** A provider that is known by its name, and asked with the keys that callers bring. */
interface KnownProviderConfig {
  readonly callerKey: true;
  readonly timeouts?: Timeouts | undefined;
  readonly streams?: boolean | undefined;
}

/** The `fullstop` object of requests that do not say otherwise, not looked into yet. */
type Defaults = Readonly<Record<string, unknown>>;

/** What can be said of any model. */
interface ModelDetails {
  readonly defaults?: Defaults | undefined;
  readonly prices?: Prices | undefined;
}

/** What can be said of a provider's model. */
interface RemoteModelDetails extends ModelDetails {
  readonly streams?: boolean | undefined;
}

/** A model on this machine. */
interface LocalModelConfig extends ModelDetails {
  readonly local: string;
  readonly sequences?: number | undefined;
  readonly contextTokens?: number | undefined;
  readonly threads?: number | undefined;
}

/** A provider's model, by a name of its own. */
interface RemoteModelConfig extends RemoteModelDetails {
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
  readonly models: Readonly<Record<string, LocalModelConfig | RemoteModelConfig | RemoteModelDetails>>;
  readonly aliases: Readonly<Record<string, string>>;
  readonly fallbacks: Readonly<Record<string, readonly string[]>>;
  readonly keys: readonly KeyConfig[];
  readonly defaults: Defaults;
  readonly logs: { readonly level?: LogLevel | undefined; readonly content: boolean };
  readonly metrics: { readonly public: boolean };
  readonly replica?: string | undefined;
  readonly store: StoreConfig;
}

const name = pipe(
  string(),
  regex(
    /^[\w.-]+$/u,
    ({ received }) => `must be made of letters, digits, dots, dashes and underscores, got ${received}`,
  ),
);
const text = pipe(string(), nonEmpty("must not be empty"));
const flag = optional(boolean());
const milliseconds = optional(pipe(number(), gtValue(0)));
const count = pipe(number(), integer(), minValue(1));

const timeouts = fieldsOf({
  firstByteMilliseconds: described(
    milliseconds,
    "For the answer to begin, which one that does not come as a stream only does when all of it is written",
  ),
  silenceMilliseconds: described(milliseconds, "For the next sign of life, whatever it is"),
  totalMilliseconds: described(milliseconds, "For all of it"),
});

const waiting = described(optional(timeouts), "How long to wait for it");
/** Said without the value, which may hold a password. */
const ADDRESS = "must be an address that begins with http:// or https://, such as http://127.0.0.1:8000/v1";
const CALLER_KEY = "Whether callers bring the key for it, each their own";
const streams = described(
  flag,
  "Whether it is asked for streams; false for whole answers, also where callers want a stream (default: true)",
);

const provider = closestOf([
  fieldsOf({
    baseUrl: described(
      pipe(string(), url(ADDRESS), regex(/^https?:/iu, ADDRESS)),
      "Where it is, such as http://127.0.0.1:8000/v1",
    ),
    apiKeyEnv: described(optional(string()), "The variable of the environment that holds its key"),
    callerKey: described(flag, CALLER_KEY),
    dialect: described(
      optional(
        picklist(["openai-chat", "openai-responses", "anthropic-messages", "gemini", "ollama-chat"]),
        "openai-chat",
      ),
      "What it speaks",
    ),
    timeouts: waiting,
    control: described(
      optional(literal("llama.cpp")),
      "For a llama.cpp server: thinking is skipped by its own control, within the same answer",
    ),
    reasoningField: described(
      optional(picklist(["reasoning_content", "reasoning", "reasoning_details"])),
      "The field in which its models want their thinking of earlier turns back (default: it does not go back)",
    ),
    listModels: described(flag, "Whether it is asked which models it has, for the gateway's list (default: true)"),
    streams,
  }),
  fieldsOf({ callerKey: described(literal(true), CALLER_KEY), timeouts: waiting, streams }),
]);

const defaults = namedBy(string(), unknown());

const modelDetails = {
  defaults: described(optional(defaults), "The fullstop object of requests for it that do not say otherwise"),
  prices: described(optional(prices), "What its tokens cost, a million of each kind, in any unit of money"),
};

const remoteDetails = { streams, ...modelDetails };

const absent = optional(never());

const model = closestOf([
  fieldsOf({
    local: described(text, '"pip", the path of a GGUF file, or one to download, such as hf:user/model:quant'),
    sequences: described(optional(count), "How many generations run at once"),
    contextTokens: optional(pipe(number(), integer(), minValue(64))),
    threads: optional(count),
    ...modelDetails,
  }),
  fieldsOf({
    provider: described(name, "A provider by its name"),
    model: described(text, "What the model is called there"),
    ...remoteDetails,
  }),
  // The fields of the other forms are named so that one with a mistake is not taken for this form with fields too many.
  described(
    fieldsOf({ local: absent, provider: absent, model: absent, ...remoteDetails }),
    "More about the model that goes by this name, provider/model",
  ),
]);

/** Said without the value, which may be the key itself. */
const KEY_HASH = "must be the SHA-256 of the key, in hexadecimal";

const key = fieldsOf({
  name: described(name, "Who has it"),
  sha256: described(pipe(string(KEY_HASH), regex(SHA256, KEY_HASH)), "The hash of the key; the key itself is nowhere"),
  models: described(
    optional(array(text)),
    "The models it may ask, provider/* for all of a provider; all there are if left out",
  ),
  operator: described(flag, "Whether it may see and stop everybody's generations"),
  limits: described(optional(limits), "How much may be used with it; keys of one name count together"),
  defaults: described(optional(defaults), "The fullstop object of requests with it that do not say otherwise"),
});

const origin = pipe(
  string(),
  check(
    (written) => URL.canParse(written) && new URL(written).origin === written,
    ({ received }) => `must be an origin, such as https://example.com, got ${received}`,
  ),
);
const logs = fieldsOf({
  level: described(
    optional(picklist(LOG_LEVELS)),
    "How much is logged; FULLSTOP_LOG_LEVEL counts more (default: info)",
  ),
  content: described(optional(boolean(), false), "Whether what people and models write is logged, too"),
});

const metrics = fieldsOf({
  public: described(optional(boolean(), false), "Whether /metrics can be read without the key of an operator"),
});

/** The schema of a configuration file. */
export const configSchema: GenericSchema<unknown, GatewayConfig> = fieldsOf({
  $schema: optional(string()),
  host: optional(text),
  port: optional(pipe(number(), integer(), minValue(0), maxValue(65_535))),
  shutdownMilliseconds: described(
    optional(pipe(number(), integer(), minValue(0), maxValue(LONGEST)), 10_000),
    "How long running answers may go on when the server is told to end, before it stops them",
  ),
  limits: described(optional(serverLimits, {}), "What clients may do to the server, whoever they are"),
  allowedOrigins: described(
    optional(array(origin), []),
    "The origins whose pages may ask from a browser, such as https://example.com",
  ),
  anonymous: described(optional(limits), "How much may be used by all together where there are no keys"),
  providers: described(optional(namedBy(name, provider), {}), "Servers by name; their models go by name/model"),
  models: described(optional(namedBy(text, model), {}), "Models by names of their own"),
  aliases: described(optional(namedBy(text, text), {}), "Other names of models"),
  fallbacks: described(
    optional(namedBy(text, pipe(array(text), minLength(1, "must name at least one"))), {}),
    "Which models are asked instead, in turn, when one fails before it has said anything",
  ),
  keys: described(
    optional(array(key), []),
    "Who may come in; nobody but this machine's own programs if there are none",
  ),
  defaults: described(optional(defaults, {}), "The fullstop object of every request that does not say otherwise"),
  logs: described(optional(logs, {}), "What is written to standard error, as lines of JSON"),
  metrics: described(optional(metrics, {}), "Who may see how the server is doing"),
  replica: described(optional(name), "What this server is called where there are several; its host's name if left out"),
  store: described(optional(store, {}), "Where generations are kept, what of them, and for how long"),
});

/** Checks a configuration as it was read. */
export function parseConfig(value: unknown): GatewayConfig {
  const result = safeParse(configSchema, value, { message: sayWhatIsExpected, abortPipeEarly: true });
  if (result.success) return result.output;
  throw new ConfigError(describeIssues(result.issues));
}
