import { createLlamaEngine } from "fullstop/llama";
import type { LlamaEngine } from "fullstop/llama";
import type { DestinationStream } from "pino";
import { Gatekeeper } from "../access/gatekeeper.ts";
import type { AccessKey } from "../access/gatekeeper.ts";
import { Limiter } from "../access/limiter.ts";
import type { House } from "../doors/answer.ts";
import { GenerationRegistry } from "../generations/registry.ts";
import { LOCAL_PROVIDER, ModelRouter } from "../models/model-router.ts";
import type { Route, RoutedProvider } from "../models/model-router.ts";
import { FREE } from "../models/prices.ts";
import { createUpstream } from "../models/upstream.ts";
import { createOperations } from "../operations/operations.ts";
import { readGenerationSettings, readPartialSettings } from "../rules/generation-settings.ts";
import type { PartialSettings } from "../rules/generation-settings.ts";
import { ConfigError, inField } from "./config-error.ts";
import type { GatewayConfig } from "./config.ts";
import { configuredProviders } from "./configured-providers.ts";
import { providersOf } from "./environment.ts";
import type { Environment } from "./environment.ts";
import { environmentKeys, logSettingsOf, providerKeys } from "./operations-settings.ts";

/** Everything that a configuration stands for, and how to put it away. */
export interface BuiltHouse extends House {
  /** Stops whatever generates, with the detail `shutdown`, frees the models and closes the connections to providers. */
  close(): Promise<void>;
}

/** The model that is there whatever the configuration says, so that a fresh machine has one. */
const EMBEDDED = "pip";

/**
 * Opens engines for all models and providers of a configuration and of the environment. Nothing is loaded yet. Logs go
 * to `logTo`, line by line; without it there are none.
 */
export function buildHouse(config: GatewayConfig, environment: Environment, logTo?: DestinationStream): BuiltHouse {
  const upstream = createUpstream();
  // What was configured counts more than what happens to be in the environment.
  const providers = [
    ...configuredProviders(config, environment, upstream.fetch),
    ...providersOf(environment, upstream.fetch),
  ];
  const localModels = new Map<string, LlamaEngine>();
  const models = new Map<string, Route>();
  const descriptions: GatewayConfig["models"] = { [EMBEDDED]: { local: EMBEDDED }, ...config.models };
  for (const [name, description] of Object.entries(descriptions)) {
    const { defaults: given, prices, ...place } = description;
    const defaults = readDefaults(`models.${name}.defaults`, given);
    if ("local" in place) {
      const { local, ...options } = place;
      const engine = createLlamaEngine({ model: local, ...options });
      localModels.set(name, engine);
      const details = { defaults, prices: prices ?? FREE };
      models.set(name, { ...details, engine, model: name, provider: LOCAL_PROVIDER, appliesRules: true });
    } else {
      const { provider, model } = "provider" in place ? place : inField(`models.${name}`, () => splitName(name));
      const { name: _, ...source } = inField(`models.${name}`, () => findProvider(providers, provider));
      models.set(name, { ...source, defaults, prices: prices ?? source.prices, provider, model });
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
  for (const name of Object.keys(config.fallbacks)) checkCallerKeys(`fallbacks.${name}`, router.resolve(name));
  const defaults = inField("defaults", () =>
    readGenerationSettings(config.defaults, { rules: {}, onDisconnect: "stop" }),
  );
  const operations = createOperations({
    router,
    localModels,
    logs: logSettingsOf(config, environment, logTo),
    areMetricsPublic: config.metrics.public,
    secrets: providerKeys(config, environment),
  });
  const registry = new GenerationRegistry(operations.observer);
  return {
    router,
    registry,
    defaults,
    operations,
    gatekeeper: new Gatekeeper([...accessKeysOf(config), ...environmentKeys(environment)], config),
    limiter: new Limiter({ concurrent: config.limits.concurrent ?? Infinity, now: Date.now }),
    async close() {
      await registry.stopAll("shutdown");
      await Promise.all([...localModels.values()].map((engine) => engine.dispose()));
      await upstream.close();
    },
  };
}

/** The parts of a name that says where its model is. */
function splitName(name: string): { readonly provider: string; readonly model: string } {
  const slash = name.indexOf("/");
  if (slash > 0 && slash < name.length - 1) return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
  throw new ConfigError(`either local, or provider and model, must say where "${name}" is`);
}

function findProvider(providers: readonly RoutedProvider[], name: string): RoutedProvider {
  const provider = providers.find((each) => each.name === name);
  if (provider !== undefined) return provider;
  throw new ConfigError(`there is no provider "${name}"`);
}

function readDefaults(field: string, value: unknown): PartialSettings {
  return value === undefined ? {} : inField(field, () => readPartialSettings(value));
}

function accessKeysOf({ keys, anonymous }: GatewayConfig): readonly AccessKey[] {
  if (keys.length > 0 && anonymous !== undefined) {
    throw new ConfigError("anonymous: there are keys, so that nobody comes in without one");
  }
  return keys.map(({ defaults, ...key }, index) => {
    const first = keys.find(({ name }) => name === key.name);
    if (JSON.stringify(first?.limits) !== JSON.stringify(key.limits)) {
      throw new ConfigError(`keys.${index}.limits: another key of "${key.name}" has other limits; they count together`);
    }
    return { ...key, defaults: readDefaults(`keys.${index}.defaults`, defaults) };
  });
}

/** A caller brings one key, which is for the provider of the model that is asked, and must not go to anybody else. */
function checkCallerKeys(field: string, [asked, ...others]: readonly Route[]): void {
  const other = others.find((route) => "openWithKey" in route && route.provider !== asked?.provider);
  if (other === undefined) return;
  throw new ConfigError(
    `${field}: ${other.provider} is asked with the caller's key, which is not for it but for ${asked?.provider}`,
  );
}
