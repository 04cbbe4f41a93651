import { anthropic, createRemoteEngine, defineProvider, gemini, openai, openaiResponses } from "fullstop/engines";
import type { Fetch, KnownProvider, Provider } from "fullstop/engines";
import { WIRE_FORMATS } from "fullstop/wire";
import type { RoutedProvider } from "../models/model-router.ts";
import { FREE } from "../models/prices.ts";
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
};

/** The providers of a configuration. */
export function configuredProviders(
  { providers }: GatewayConfig,
  environment: Environment,
  fetch: Fetch,
): readonly RoutedProvider[] {
  return Object.entries(providers).map(([name, description]): RoutedProvider => {
    const field = `providers.${name}`;
    const { timeouts } = description;
    if (description.callerKey === true) {
      const open = inField(field, () => providerByKey(name, description));
      // Whoever brings the key pays.
      return {
        name,
        openWithKey: (key) => createRemoteEngine({ provider: open(key), fetch, timeouts }),
        appliesRules: false,
        prices: FREE,
      };
    }
    const key = inField(field, () => keyOf(description, environment));
    return inField(field, () => {
      const provider = providerOf(name, description, key);
      return { name, engine: createRemoteEngine({ provider, fetch, timeouts }), appliesRules: false };
    });
  });
}

/** A provider but for the key. All else about it is checked now. */
function providerByKey(name: string, description: Description): (key: string) => Provider {
  if ("baseUrl" in description) {
    if (description.apiKeyEnv !== undefined) {
      throw new ConfigError("apiKeyEnv and callerKey exclude each other: the key is the gateway's or the caller's");
    }
    providerOf(name, description, undefined);
    return (key) => providerOf(name, description, key);
  }
  const known = KNOWN_PROVIDERS.get(name);
  if (known !== undefined) return (key) => known(key);
  const names = [...KNOWN_PROVIDERS.keys()].join(", ");
  throw new ConfigError(`baseUrl is missing; only the addresses of ${names} are known`);
}

function providerOf(name: string, { baseUrl, dialect }: ProviderConfig, key: string | undefined): Provider {
  if (key === undefined) return defineProvider({ id: name, baseUrl, format: WIRE_FORMATS[dialect] });
  return { ...SPEAKERS[dialect](key, { baseUrl }), id: name };
}

function keyOf({ apiKeyEnv }: ProviderConfig, environment: Environment): string | undefined {
  if (apiKeyEnv === undefined) return undefined;
  const key = environment[apiKeyEnv];
  if (key === undefined || key === "") throw new ConfigError(`the variable ${apiKeyEnv} is not set`);
  return key;
}
