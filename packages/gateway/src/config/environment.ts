import {
  anthropic,
  createRemoteEngine,
  deepseek,
  gemini,
  groq,
  mistral,
  ollama,
  openai,
  openrouter,
  xai,
} from "fullstop/engines";
import type { Fetch, KnownProvider, Provider } from "fullstop/engines";
import type { RoutedProvider } from "../models/model-router.ts";
import { inField } from "./config-error.ts";
import { ollamaAddress } from "./ollama-address.ts";

/** The variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The providers that are there as soon as their key is. */
const BY_KEY: readonly (readonly [variable: string, name: string, provider: KnownProvider])[] = [
  ["OPENAI_API_KEY", "openai", openai],
  ["ANTHROPIC_API_KEY", "anthropic", anthropic],
  ["GEMINI_API_KEY", "gemini", gemini],
  ["XAI_API_KEY", "xai", xai],
  ["OPENROUTER_API_KEY", "openrouter", openrouter],
  ["MISTRAL_API_KEY", "mistral", mistral],
  ["DEEPSEEK_API_KEY", "deepseek", deepseek],
  ["GROQ_API_KEY", "groq", groq],
];

/** The providers that are known by their names, but for the key. */
export const KNOWN_PROVIDERS: ReadonlyMap<string, KnownProvider> = new Map(
  BY_KEY.map(([, name, provider]) => [name, provider]),
);

/** The variables that hold the keys of known providers, by the provider's name. */
export const PROVIDER_KEYS: ReadonlyMap<string, string> = new Map(BY_KEY.map(([variable, name]) => [name, variable]));

/** The providers that the environment has a key or an address for. */
export function providersOf(environment: Environment, fetch: Fetch): readonly RoutedProvider[] {
  const route = (name: string, open: () => Provider, variable: string): RoutedProvider => {
    const engine = inField(variable, () => createRemoteEngine({ provider: open(), fetch }));
    return { name, engine, appliesRules: false };
  };
  const keyed = BY_KEY.flatMap(([variable, name, provider]) => {
    const key = environment[variable];
    return key === undefined || key === "" ? [] : [route(name, () => provider(key), variable)];
  });
  const host = environment["OLLAMA_HOST"];
  if (host === undefined || host === "") return keyed;
  return [...keyed, route("ollama", () => ollama({ baseUrl: ollamaAddress(host) }), "OLLAMA_HOST")];
}
