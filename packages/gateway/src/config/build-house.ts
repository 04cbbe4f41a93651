import { hostname } from "node:os";
import { anthropic, createRemoteEngine, defineProvider, gemini, openai, openaiResponses } from "fullstop/engines";
import type { Fetch, KnownProvider } from "fullstop/engines";
import { createLlamaEngine } from "fullstop/llama";
import type { LlamaEngine } from "fullstop/llama";
import { WIRE_FORMATS } from "fullstop/wire";
import { Gatekeeper } from "../access/gatekeeper.ts";
import type { House } from "../doors/answer.ts";
import { GenerationRegistry } from "../generations/registry.ts";
import { ModelRouter } from "../models/model-router.ts";
import type { RoutedProvider, Target } from "../models/model-router.ts";
import { createUpstream } from "../models/upstream.ts";
import { readGenerationSettings } from "../rules/generation-settings.ts";
import { ConfigError } from "./config.ts";
import type { GatewayConfig } from "./config.ts";
import { providersOf } from "./environment.ts";
import type { Environment } from "./environment.ts";
import { messageOf } from "../message-of.ts";

/** Everything that a configuration stands for, and how to put it away. */
export interface BuiltHouse extends House {
  /** Stops whatever generates, with the detail `shutdown`, frees the models and closes the connections to providers. */
  close(): Promise<void>;
}

/** The model that is there whatever the configuration says, so that a fresh machine has one. */
const EMBEDDED = "pip";

/** Opens engines for all models and providers of a configuration and of the environment. Nothing is loaded yet. */
export function buildHouse(config: GatewayConfig, environment: Environment): BuiltHouse {
  const upstream = createUpstream();
  // What was configured counts more than what happens to be in the environment.
  const providers = [
    ...configuredProviders(config, environment, upstream.fetch),
    ...providersOf(environment, upstream.fetch),
  ];
  const localEngines: LlamaEngine[] = [];
  const models = new Map<string, Target>();
  const descriptions: GatewayConfig["models"] = { [EMBEDDED]: { local: EMBEDDED }, ...config.models };
  for (const [name, description] of Object.entries(descriptions)) {
    if ("local" in description) {
      const { local, ...options } = description;
      const engine = createLlamaEngine({ model: local, ...options });
      localEngines.push(engine);
      models.set(name, { engine, model: name, provider: "local", appliesRules: true });
    } else {
      const provider = providers.find((each) => each.name === description.provider);
      if (provider === undefined) {
        throw new ConfigError(`models.${name}: there is no provider "${description.provider}"`);
      }
      const { engine, appliesRules } = provider;
      models.set(name, { engine, appliesRules, provider: provider.name, model: description.model });
    }
  }
  const router = new ModelRouter({
    providers,
    models,
    aliases: new Map(Object.entries(config.aliases)),
    fallbacks: new Map(Object.entries(config.fallbacks)),
  });
  for (const field of ["aliases", "fallbacks"] as const) {
    for (const name of Object.keys(config[field])) inField(`${field}.${name}`, () => router.resolve(name));
  }
  const defaults = inField("defaults", () =>
    readGenerationSettings(config.defaults, { rules: {}, onDisconnect: "stop" }),
  );
  const registry = new GenerationRegistry(config.bounds);
  return {
    router,
    registry,
    defaults,
    replica: config.replica ?? `${hostname()}-${process.pid}`,
    gatekeeper: new Gatekeeper(config.keys),
    async close() {
      await registry.stopAll("shutdown");
      await Promise.all(localEngines.map((engine) => engine.dispose()));
      await upstream.close();
    },
  };
}

function configuredProviders(config: GatewayConfig, environment: Environment, fetch: Fetch): readonly RoutedProvider[] {
  return Object.entries(config.providers).map(([name, { baseUrl, apiKeyEnv, dialect, timeouts }]) => {
    const key = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv];
    if (apiKeyEnv !== undefined && (key === undefined || key === "")) {
      throw new ConfigError(`providers.${name}: the variable ${apiKeyEnv} is not set`);
    }
    return inField(`providers.${name}`, () => {
      const provider =
        key === undefined
          ? defineProvider({ id: name, baseUrl, format: WIRE_FORMATS[dialect] })
          : { ...SPEAKERS[dialect](key, { baseUrl }), id: name };
      return { name, engine: createRemoteEngine({ provider, fetch, timeouts }), appliesRules: false };
    });
  });
}

/** Somebody who is known to speak each dialect, and to take a key where that dialect has it. */
const SPEAKERS: Readonly<Record<GatewayConfig["providers"][string]["dialect"], KnownProvider>> = {
  "openai-chat": openai,
  "openai-responses": openaiResponses,
  "anthropic-messages": anthropic,
  gemini,
};

/** Does what a field of the configuration asks for, and names the field where that is refused. */
function inField<T>(field: string, carryOut: () => T): T {
  try {
    return carryOut();
  } catch (error) {
    throw new ConfigError(`${field}: ${messageOf(error)}`);
  }
}
