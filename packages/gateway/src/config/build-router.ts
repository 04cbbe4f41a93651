import type { Fetch } from "fullstop/engines";
import { createLlamaEngine } from "fullstop/llama";
import type { LlamaEngine } from "fullstop/llama";
import { LOCAL_PROVIDER, ModelRouter } from "../models/model-router.ts";
import type { Route, RoutedProvider } from "../models/model-router.ts";
import { FREE } from "../models/prices.ts";
import type { NamedProvider } from "../models/provider-catalogue.ts";
import { ConfigError, inField } from "./config-error.ts";
import type { GatewayConfig } from "./config.ts";
import { configuredProviders } from "./configured-providers.ts";
import { providersOf } from "./environment.ts";
import type { Environment } from "./environment.ts";
import { readDefaults } from "./read-defaults.ts";

/** Which models there are, and those of them that are on this machine. */
export interface BuiltRouter {
  readonly router: ModelRouter;
  readonly localModels: ReadonlyMap<string, LlamaEngine>;
  /** The providers that can be asked which models they have. */
  readonly listings: readonly NamedProvider[];
}

/** The model that is there whatever the configuration says, so that a fresh machine has one. */
const EMBEDDED = "pip";

/** Opens engines for all models and providers of a configuration and of the environment. Nothing is loaded yet. */
export function buildRouter(config: GatewayConfig, environment: Environment, fetch: Fetch): BuiltRouter {
  // What was configured counts more than what happens to be in the environment.
  const found = [...configuredProviders(config, environment, fetch), ...providersOf(environment, fetch)];
  const listings = found.flatMap(({ name, listing }, index): readonly NamedProvider[] => {
    const isFirst = found.findIndex((each) => each.name === name) === index;
    return listing === undefined || !isFirst ? [] : [{ name, provider: listing }];
  });
  const providers = found.map((each): RoutedProvider => {
    const { listing: _, ...provider } = each;
    return provider;
  });
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
      const streams = place.streams ?? source.streams;
      models.set(name, { ...source, defaults, prices: prices ?? source.prices, provider, model, streams });
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
  return { router, localModels, listings };
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

/** A caller brings one key, which is for the provider of the model that is asked, and must not go to anybody else. */
function checkCallerKeys(field: string, [asked, ...others]: readonly Route[]): void {
  const other = others.find((route) => "openWithKey" in route && route.provider !== asked?.provider);
  if (other === undefined) return;
  throw new ConfigError(
    `${field}: ${other.provider} is asked with the caller's key, which is not for it but for ${asked?.provider}`,
  );
}
