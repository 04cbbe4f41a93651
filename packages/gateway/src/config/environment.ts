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
import type { ListedProvider } from "../models/model-router.ts";
import { RefusedStreams } from "../models/refused-streams.ts";
import { inField } from "./config-error.ts";
import { ollamaAddress } from "./ollama-address.ts";

/** The variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface EnvironmentVariables {
  /** The provider's name, which the names of its models begin with. */
  readonly name: string;
  readonly open: KnownProvider;
  /** The variable that holds its key. */
  readonly key: string;
  /** The variable that holds another address. */
  readonly address: string;
  /** What an address ends in, where this provider's own clients add it themselves. */
  readonly folder?: { readonly usual: string; readonly pattern: RegExp };
}

function variablesOf(name: string, open: KnownProvider, folder?: EnvironmentVariables["folder"]): EnvironmentVariables {
  const prefix = name.toUpperCase();
  return { name, open, key: `${prefix}_API_KEY`, address: `${prefix}_BASE_URL`, ...(folder && { folder }) };
}

/** The providers that are there as soon as their key or an address of theirs is. */
const KNOWN: readonly EnvironmentVariables[] = [
  variablesOf("openai", openai),
  variablesOf("anthropic", anthropic, { usual: "/v1", pattern: /\/v\d+$/u }),
  variablesOf("gemini", gemini, { usual: "/v1beta", pattern: /\/v\d+\w*$/u }),
  variablesOf("xai", xai),
  variablesOf("openrouter", openrouter),
  variablesOf("mistral", mistral),
  variablesOf("deepseek", deepseek),
  variablesOf("groq", groq),
];

/** The providers that are known by their names, but for the key. */
export const KNOWN_PROVIDERS: ReadonlyMap<string, KnownProvider> = new Map(KNOWN.map(({ name, open }) => [name, open]));

/** A provider that the environment has a key or an address for. */
export interface EnvironmentProvider {
  readonly name: string;
  /** The variable that makes it be there. */
  readonly variable: string;
  /** Whether the variable holds a key, and not where the provider is. */
  readonly hasKey: boolean;
  /** Makes it, and refuses by the variable's name what cannot be. */
  readonly open: () => Provider;
}

/** The providers that the environment has a key or an address for. */
export function environmentProviders(environment: Environment): readonly EnvironmentProvider[] {
  const known = KNOWN.flatMap((variables): readonly EnvironmentProvider[] => {
    const key = valueOf(environment, variables.key);
    const address = valueOf(environment, variables.address);
    if (key === undefined && address === undefined) return [];
    const variable = key === undefined ? variables.address : variables.key;
    return [
      { name: variables.name, variable, hasKey: key !== undefined, open: () => openKnown(variables, key, address) },
    ];
  });
  const host = valueOf(environment, "OLLAMA_HOST");
  if (host === undefined) return known;
  const open = (): Provider => inField("OLLAMA_HOST", () => ollama({ baseUrl: ollamaAddress(host) }));
  return [...known, { name: "ollama", variable: "OLLAMA_HOST", hasKey: false, open }];
}

/** The same providers, as those that requests can go to. */
export function providersOf(environment: Environment, fetch: Fetch): readonly ListedProvider[] {
  return environmentProviders(environment).map(({ name, open }) => {
    const provider = open();
    const engine = createRemoteEngine({ provider, fetch });
    return { name, engine, appliesRules: false, listing: provider, refusedStreams: new RefusedStreams(Date.now) };
  });
}

function openKnown(variables: EnvironmentVariables, key: string | undefined, address: string | undefined): Provider {
  const provider = inField(variables.key, () => variables.open(key ?? "none"));
  if (address === undefined) return provider;
  const baseUrl = withFolder(address, variables);
  const elsewhere = inField(variables.address, () => variables.open(key ?? "none", { baseUrl }));
  // A server of one's own may want no key, and is not sent one that was made up.
  return key === undefined ? { ...elsewhere, headers: {} } : elsewhere;
}

function withFolder(address: string, { folder }: EnvironmentVariables): string {
  const bare = address.trim().replace(/\/+$/u, "");
  return folder === undefined || folder.pattern.test(bare) ? bare : bare + folder.usual;
}

function valueOf(environment: Environment, variable: string): string | undefined {
  const value = environment[variable];
  return value === "" ? undefined : value;
}
