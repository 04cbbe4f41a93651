import { checkNames } from "../check.ts";
import { PROVIDERS } from "../detect/providers.ts";
import { FullstopError, invalidArgument } from "../errors.ts";
import { anthropicMessages } from "../wire/anthropic-messages/format.ts";
import type { RequestFormat } from "../wire/format.ts";
import { gemini as geminiFormat } from "../wire/gemini/format.ts";
import { ollamaChat } from "../wire/ollama-chat/format.ts";
import { defineOpenaiChat, openaiChat } from "../wire/openai-chat/format.ts";
import { defineOpenaiResponses, openaiResponses as responsesFormat } from "../wire/openai-responses/format.ts";
import { defineProvider } from "./provider.ts";
import type { Provider } from "./provider.ts";
import { ROUTES } from "./routes.ts";
import type { ProviderHeaders } from "./routes.ts";

/** What can be set about a provider that is known. */
export interface ProviderOptions {
  /** Another address, such as that of a proxy. */
  readonly baseUrl?: string | undefined;
  /** More headers, which win over those that are there. */
  readonly headers?: ProviderHeaders | undefined;
}

/** A provider that is known, but for the key. */
export type KnownProvider = (apiKey: string, options?: ProviderOptions) => Provider;

type Description = Omit<Provider, "headers">;

const OPTION_NAMES: Readonly<Record<keyof ProviderOptions, true>> = { baseUrl: true, headers: true };

/** Visible characters only: a line break at the end is the most common reason for a key to be refused. */
const KEY = /^[\u0021-\u007e]+$/u;

/** OpenAI alone understands a choice among some tools and tools that take text so far, and it refuses long ids of calls. */
const OPENAI_ONLY = { allowedTools: true, callIds: "openai", textTools: true } as const;

/** OpenAI's own servers, and Azure's that have its models. */
const OPENAI_HOST = /(?:^|\.)openai\.(?:azure\.)?com$/u;

/** Servers that do not know the newer name of the limit ignore it, and the limit with it, or refuse the request. */
const OLD_LIMIT = { limitField: "max_tokens" } as const;

function checkOptions(options: ProviderOptions, names: Readonly<Record<string, true>>): void {
  if (typeof options !== "object" || options === null) {
    // Not quoted: it may be a key, which most providers have as an argument of its own.
    const rule = "must be an object, such as { baseUrl, headers }, or { apiKey } where the key is no argument";
    const message = `provider options ${rule}, got ${options === null ? "null" : typeof options}`;
    throw new FullstopError("invalid_argument", message, "provider options");
  }
  checkNames("provider options", options, names);
}

function open(description: Description, apiKey: string | undefined, options: ProviderOptions = {}): Provider {
  checkOptions(options, OPTION_NAMES);
  const key = apiKey === undefined ? {} : keyHeaders(description, apiKey);
  return defineProvider({
    ...description,
    baseUrl: options.baseUrl ?? description.baseUrl,
    headers: { ...key, ...options.headers },
  });
}

function keyHeaders({ format }: Description, apiKey: string): ProviderHeaders {
  if (typeof apiKey !== "string" || !KEY.test(apiKey)) {
    // The value is not quoted: it may be a good key and a line break.
    const found = typeof apiKey === "string" ? `${apiKey.length} characters` : typeof apiKey;
    throw new FullstopError("invalid_argument", `apiKey must be a key without spaces or line breaks, got ${found}`);
  }
  return ROUTES[format.name]?.key(apiKey) ?? {};
}

function known(description: Description): KnownProvider {
  return (apiKey, options) => {
    // A variable of the environment that is not set would otherwise become a request without a key.
    if (apiKey === undefined) throw new FullstopError("invalid_argument", `${description.id} needs an apiKey`);
    return open(description, apiKey, options);
  };
}

/** OpenAI, asked in its own words where it is OpenAI: nobody knows who answers at another address. */
function knownOpenai(own: RequestFormat, common: RequestFormat): KnownProvider {
  const openAnywhere = known({ id: "openai", format: common, baseUrl: "https://api.openai.com/v1" });
  return (apiKey, options) => {
    const provider = openAnywhere(apiKey, options);
    return OPENAI_HOST.test(new URL(provider.baseUrl).hostname) ? { ...provider, format: own } : provider;
  };
}

/** OpenAI, by Chat Completions. */
export const openai: KnownProvider = knownOpenai(defineOpenaiChat(OPENAI_ONLY), openaiChat);

/** OpenAI, by Responses. */
export const openaiResponses: KnownProvider = knownOpenai(defineOpenaiResponses(OPENAI_ONLY), responsesFormat);

/** Anthropic, by Messages. */
export const anthropic: KnownProvider = known({
  id: "anthropic",
  format: anthropicMessages,
  baseUrl: "https://api.anthropic.com/v1",
});

/** Google's Gemini, by generateContent. */
export const gemini: KnownProvider = known({
  id: "google",
  format: geminiFormat,
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
});

/** xAI, by Chat Completions. */
export const xai: KnownProvider = known({
  id: "xai",
  format: openaiChat,
  baseUrl: "https://api.x.ai/v1",
  finishNumbers: PROVIDERS.find(({ id }) => id === "xai")?.finishNumbers,
});

/** OpenRouter, by Chat Completions. */
export const openrouter: KnownProvider = known({
  id: "openrouter",
  format: defineOpenaiChat({ reasoningField: "reasoning", reasoningDetails: true, topK: true }),
  baseUrl: "https://openrouter.ai/api/v1",
});

/** Mistral, which refuses requests with fields that it does not know, and sends token counts without being asked. */
export const mistral: KnownProvider = known({
  id: "mistral",
  format: defineOpenaiChat({
    ...OLD_LIMIT,
    callIds: "nine",
    seedField: "random_seed",
    streamOptions: false,
    user: false,
  }),
  baseUrl: "https://api.mistral.ai/v1",
});

/** DeepSeek, which wants the thinking that led to a tool call back with it, and takes no list as the result of a tool. */
export const deepseek: KnownProvider = known({
  id: "deepseek",
  format: defineOpenaiChat({ ...OLD_LIMIT, reasoningField: "reasoning_content", toolTexts: "string" }),
  baseUrl: "https://api.deepseek.com/v1",
});

/** Groq, by Chat Completions. */
export const groq: KnownProvider = known({
  id: "groq",
  format: openaiChat,
  baseUrl: "https://api.groq.com/openai/v1",
});

/** Together, by Chat Completions. */
export const together: KnownProvider = known({
  id: "together",
  format: defineOpenaiChat({ ...OLD_LIMIT, topK: true }),
  baseUrl: "https://api.together.xyz/v1",
});

/** Options of {@link ollama}. */
export interface OllamaOptions extends ProviderOptions {
  /** The key of whoever stands in front of it. Ollama on a machine of one's own needs none. */
  readonly apiKey?: string | undefined;
}

/** Ollama on this machine, in its own dialect, which tells more than its routes for other people's. */
export function ollama(options: OllamaOptions = {}): Provider {
  checkOptions(options, { ...OPTION_NAMES, apiKey: true });
  const { apiKey, ...others } = options;
  const { baseUrl } = others;
  if (typeof baseUrl === "string" && /\/v1\/*$/u.test(baseUrl)) {
    throw invalidArgument("baseUrl", "must be where Ollama is, such as http://127.0.0.1:11434, without /v1", baseUrl);
  }
  return open({ id: "ollama", format: ollamaChat, baseUrl: "http://127.0.0.1:11434" }, apiKey, others);
}

/** Options of {@link openaiCompatible}. */
export interface OpenaiCompatibleOptions {
  readonly apiKey?: string | undefined;
  readonly headers?: ProviderHeaders | undefined;
}

/** A fullstop gateway at an address, in the dialect that loses the least on the way (see `gateway.ts`). */
export function fullstopGateway(url: string, { apiKey, headers }: OpenaiCompatibleOptions = {}): Provider {
  const baseUrl = typeof url === "string" ? `${url.replace(/\/+$/u, "")}/v1beta` : url;
  return open({ id: "fullstop", format: geminiFormat, baseUrl, appliesStopStrings: true }, apiKey, { headers });
}

/** Any server that speaks Chat Completions, asked in the words that most of them understand. */
export function openaiCompatible(baseUrl: string, options: OpenaiCompatibleOptions = {}): Provider {
  checkOptions(options, { ...OPTION_NAMES, apiKey: true });
  const { apiKey, ...others } = options;
  return open({ id: "openai-compatible", format: defineOpenaiChat(OLD_LIMIT), baseUrl }, apiKey, others);
}
