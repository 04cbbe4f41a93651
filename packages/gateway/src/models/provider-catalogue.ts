import type { Fetch, Provider } from "fullstop/engines";
import type { ListedModel } from "./model-router.ts";
import { fetchModels } from "./provider-models.ts";

/** How long somebody who wants a list of models waits for those of providers. */
const PATIENCE_MILLISECONDS = 2000;

/** How long a list is good, and how long a provider is left alone that did not give one. */
const GOOD_MILLISECONDS = 5 * 60_000;
const BAD_MILLISECONDS = 60_000;

/** A provider, by the name that its models begin with here. */
export interface NamedProvider {
  readonly name: string;
  readonly provider: Provider;
}

/** What a {@link ProviderCatalogue} is made of. */
export interface CatalogueOptions {
  /** Those that can be asked with a key of the gateway's own, or without any. */
  readonly providers: readonly NamedProvider[];
  readonly fetch: Fetch;
  /** The time, in milliseconds. */
  readonly now: () => number;
  /** Told the first time that a provider does not give a list. */
  readonly onFailure: (provider: string, error: unknown) => void;
}

interface Answer {
  readonly models: Promise<readonly ListedModel[]>;
  /** Until when it is not asked for again. */
  until: number;
}

/** The models that providers say they have. Each is asked once in a while, when somebody wants to know. */
export class ProviderCatalogue {
  readonly #options: CatalogueOptions;
  readonly #answers = new Map<string, Answer>();
  readonly #failed = new Set<string>();

  constructor(options: CatalogueOptions) {
    this.#options = options;
  }

  /** All of them, as `provider/model`. A provider that does not answer in time has none. */
  async list(): Promise<readonly ListedModel[]> {
    const lists = await Promise.all(this.#options.providers.map((each) => this.#modelsOf(each)));
    return lists.flat();
  }

  #modelsOf(named: NamedProvider): Promise<readonly ListedModel[]> {
    const { now } = this.#options;
    const known = this.#answers.get(named.name);
    if (known !== undefined && now() < known.until) return known.models;
    // While it is on its way it is good for everybody who comes.
    const answer: Answer = { models: this.#ask(named, (good) => (answer.until = now() + good)), until: Infinity };
    this.#answers.set(named.name, answer);
    return answer.models;
  }

  async #ask(
    { name, provider }: NamedProvider,
    settle: (milliseconds: number) => void,
  ): Promise<readonly ListedModel[]> {
    try {
      const signal = AbortSignal.timeout(PATIENCE_MILLISECONDS);
      const models = await fetchModels(provider, this.#options.fetch, signal);
      settle(GOOD_MILLISECONDS);
      return models.map((model) => ({ id: `${name}/${model}`, provider: name }));
    } catch (error) {
      settle(BAD_MILLISECONDS);
      if (!this.#failed.has(name)) this.#options.onFailure(name, error);
      this.#failed.add(name);
      return [];
    }
  }
}
