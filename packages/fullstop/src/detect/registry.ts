import { checkNames } from "../check.ts";
import { invalidArgument } from "../errors.ts";
import type { TerminationSignal } from "../termination.ts";
import { createDetector } from "./detector.ts";
import type { ProviderTerminationDetector } from "./detector.ts";
import { defineProviderNames, normaliseName } from "./provider-names.ts";
import { PROVIDERS } from "./providers.ts";
import type { ProviderDescription, TerminationCapabilities } from "./providers.ts";

/** A provider as a registry knows it. */
export interface RegisteredProvider {
  /** The provider's id, with a version if it is for that alone: `anthropic`, `anthropic@2023-06-01`. */
  readonly id: string;
  readonly detector: ProviderTerminationDetector;
  readonly capabilities?: TerminationCapabilities | undefined;
}

/** Detectors by provider. A value like any other: make as many as are needed. */
export interface DetectorRegistry {
  /** Adds a provider. Refuses an id that is taken; `replace` is for that. */
  register(provider: RegisteredProvider): void;
  /** Puts another detector in the place of one that is there. Refuses an id that is not. */
  replace(provider: RegisteredProvider): void;
  /**
   * The detector for a provider, by its id or another name that it goes by: `gemini` is `google`. A version that is not there gives the provider's general one, a provider that has
   * only versions the newest of them, and a provider nobody knows one that goes by the shape of the answer.
   */
  get(providerId: string): ProviderTerminationDetector;
  has(providerId: string): boolean;
  /** What is known of a provider's endings; undefined for a provider nobody knows. */
  capabilitiesOf(providerId: string): TerminationCapabilities | undefined;
  /** The ids of the providers whose capabilities are all of these. */
  find(wanted: Partial<TerminationCapabilities>): readonly string[];
  detectTermination(providerId: string, response: unknown, isStreaming: boolean): TerminationSignal;
}

/** Creates a registry that knows the given providers: by default all that fullstop knows. */
export function createDetectorRegistry(descriptions: readonly ProviderDescription[] = PROVIDERS): DetectorRegistry {
  const providers = new Map<string, RegisteredProvider>();
  const fallback = createDetector();
  const idOf = defineProviderNames(descriptions);
  for (const description of descriptions) {
    const { id, formats, capabilities, finishNumbers } = description;
    providers.set(checkId(id), { id, detector: createDetector({ formats, finishNumbers }), capabilities });
  }

  function lookUp(id: string): RegisteredProvider | undefined {
    const [name = id] = id.split("@");
    return providers.get(id) ?? providers.get(name) ?? newestOf(providers, name);
  }

  /** What was registered under a name comes before what else the name may stand for. */
  function find(providerId: string): RegisteredProvider | undefined {
    return lookUp(normaliseName(providerId)) ?? lookUp(idOf(providerId));
  }

  const get = (providerId: string): ProviderTerminationDetector => find(providerId)?.detector ?? fallback;

  return {
    register(provider) {
      checkProvider(provider);
      const id = checkId(provider.id);
      if (providers.has(id)) throw invalidArgument("provider id", "is registered already; use replace", id);
      providers.set(id, { ...provider, id });
    },
    replace(provider) {
      checkProvider(provider);
      const own = checkId(provider.id);
      const id = providers.has(own) ? own : idOf(own);
      if (!providers.has(id)) throw invalidArgument("provider id", "is not registered; use register", id);
      providers.set(id, { ...provider, id });
    },
    get,
    has: (providerId) => find(providerId) !== undefined,
    capabilitiesOf: (providerId) => find(providerId)?.capabilities,
    find: (wanted) =>
      [...providers.values()].filter(({ capabilities }) => hasAll(capabilities, wanted)).map(({ id }) => id),
    detectTermination: (providerId, response, isStreaming) => get(providerId).detectTermination(response, isStreaming),
  };
}

const FUNCTIONS = [
  "detectTermination",
  "extractTerminationContext",
  "validateTerminationSignal",
] as const satisfies readonly (keyof ProviderTerminationDetector)[];

function checkProvider(provider: RegisteredProvider): void {
  checkNames("provider", provider, { id: true, detector: true, capabilities: true });
  const { detector } = provider;
  if (FUNCTIONS.some((name) => typeof detector?.[name] !== "function")) {
    throw invalidArgument(
      "provider detector",
      `must be made by createDetector, or have ${FUNCTIONS.join(", ")}`,
      detector,
    );
  }
}

function checkId(id: string): string {
  if (typeof id !== "string" || !/^[^\s@]+(?:@[^\s@]+)?$/u.test(id)) {
    throw invalidArgument("provider id", "must be a name, or a name and a version with an @ between", id);
  }
  return normaliseName(id);
}

/** Versions are dates or numbers, so the greatest is the newest. */
function newestOf(providers: ReadonlyMap<string, RegisteredProvider>, name: string): RegisteredProvider | undefined {
  const versions = [...providers.keys()].filter((id) => id.startsWith(`${name}@`));
  const newest = versions.sort((one, other) => one.localeCompare(other, "en", { numeric: true })).at(-1);
  return newest === undefined ? undefined : providers.get(newest);
}

function hasAll(capabilities: TerminationCapabilities | undefined, wanted: Partial<TerminationCapabilities>): boolean {
  if (capabilities === undefined) return false;
  const known = new Map<string, unknown>(Object.entries(capabilities));
  return Object.entries(wanted).every(([name, value]) => known.get(name) === value);
}
