import {
  anthropic,
  createRemoteEngine,
  defineProvider,
  gemini,
  ollama,
  openai,
  openaiResponses,
} from "fullstop/engines";
import type { Fetch, KnownProvider, Provider } from "fullstop/engines";
import { REQUEST_FORMATS, defineOpenaiChat } from "fullstop/wire";
import type { OpenaiChatVariant } from "fullstop/wire";
import { createThinkingControl, withReasoningControl } from "../models/llama-server.ts";
import type { ListedProvider } from "../models/model-router.ts";
import { FREE } from "../models/prices.ts";
import { RefusedStreams } from "../models/refused-streams.ts";
import { ConfigError, inField } from "./config-error.ts";
import type { GatewayConfig, ProviderConfig } from "./config.ts";
import { KNOWN_PROVIDERS } from "./environment.ts";
import type { Environment } from "./environment.ts";

type Description = GatewayConfig["providers"][string];

/** Somebody who is known to speak each dialect, and to take a key where that dialect has it. */
const SPEAKERS: Readonly<Record<ProviderConfig["dialect"], KnownProvider>> = {
  "openai-chat": openai,
  "openai-responses": openaiResponses,
  "anthropic-messages": anthropic,
  gemini,
  "ollama-chat": (apiKey, options) => ollama({ apiKey, ...options }),
};

/** The providers of a configuration. */
export function configuredProviders(
  { providers }: GatewayConfig,
  environment: Environment,
  fetch: Fetch,
): readonly ListedProvider[] {
  return Object.entries(providers).map(([name, description]): ListedProvider => {
    const field = `providers.${name}`;
    const { timeouts, streams } = description;
    if (description.callerKey === true) {
      const open = inField(field, () => providerByKey(name, description));
      // Whoever brings the key pays.
      return {
        name,
        openWithKey: (key) => createRemoteEngine({ provider: open(key), fetch, timeouts }),
        appliesRules: false,
        prices: FREE,
        streams,
      };
    }
    const key = inField(field, () => keyOf(description, environment));
    return inField(field, () => {
      const provider = configuredProvider(name, description, key);
      const engine = createRemoteEngine({ provider: withControl(provider, description), fetch, timeouts });
      const control = description.control === undefined ? undefined : createThinkingControl(provider, fetch);
      const listing = description.listModels === false ? undefined : provider;
      const refusedStreams = new RefusedStreams(Date.now);
      return { name, engine, appliesRules: false, control, listing, streams, refusedStreams };
    });
  });
}

/** A provider that is asked so that it can be told something in the middle of an answer, if it is to be. */
function withControl(provider: Provider, { control, dialect }: ProviderConfig): Provider {
  if (control === undefined) return provider;
  if (dialect !== "openai-chat") throw new ConfigError(`control is for the dialect openai-chat, not for ${dialect}`);
  return { ...provider, format: withReasoningControl(provider.format) };
}

/** A provider but for the key. All else about it is checked now. */
function providerByKey(name: string, description: Description): (key: string) => Provider {
  if ("baseUrl" in description) {
    if (description.apiKeyEnv !== undefined) {
      throw new ConfigError("apiKeyEnv and callerKey exclude each other: the key is the gateway's or the caller's");
    }
    if (description.control !== undefined) {
      throw new ConfigError("control and callerKey exclude each other: the control is used with the gateway's own key");
    }
    configuredProvider(name, description, undefined);
    return (key) => configuredProvider(name, description, key);
  }
  const known = KNOWN_PROVIDERS.get(name);
  if (known !== undefined) return (key) => known(key);
  const names = [...KNOWN_PROVIDERS.keys()].join(", ");
  throw new ConfigError(`baseUrl is missing; only the addresses of ${names} are known`);
}

/** A provider as a configuration describes it, with its key. */
export function configuredProvider(name: string, description: ProviderConfig, key: string | undefined): Provider {
  const { baseUrl, dialect } = description;
  const provider =
    key === undefined
      ? defineProvider({ id: name, baseUrl, format: REQUEST_FORMATS[dialect] })
      : { ...SPEAKERS[dialect](key, { baseUrl }), id: name };
  return withThinking(provider, description);
}

/** How requests give thinking back, by the field for it. OpenRouter's details stand beside the plain thinking. */
const THINKING: Readonly<Record<NonNullable<ProviderConfig["reasoningField"]>, OpenaiChatVariant>> = {
  reasoning_content: { reasoningField: "reasoning_content" },
  reasoning: { reasoningField: "reasoning" },
  reasoning_details: { reasoningField: "reasoning", reasoningDetails: true },
};

/** A provider whose models get their thinking of earlier turns back, if they are to. */
function withThinking(provider: Provider, { reasoningField, dialect }: ProviderConfig): Provider {
  if (reasoningField === undefined) return provider;
  if (dialect !== "openai-chat") {
    throw new ConfigError(`reasoningField is for the dialect openai-chat, not for ${dialect}`);
  }
  return { ...provider, format: defineOpenaiChat(THINKING[reasoningField]) };
}

function keyOf({ apiKeyEnv }: ProviderConfig, environment: Environment): string | undefined {
  if (apiKeyEnv === undefined) return undefined;
  const key = environment[apiKeyEnv];
  if (key === undefined || key === "") throw new ConfigError(`the variable ${apiKeyEnv} is not set`);
  return key;
}
