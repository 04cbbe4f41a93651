import type { Engine } from "fullstop";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import type { ThinkingControl } from "./llama-server.ts";

/** Where a request goes: an engine, and what the model is called there. */
export interface Target {
  readonly engine: Engine;
  readonly model: string;
  /** The name of whoever runs it, such as `openai`, or `local`. */
  readonly provider: string;
  /** Whether the engine applies stop rules to its own tokens. Otherwise the gateway applies them to what comes. */
  readonly appliesRules: boolean;
  /** How to end the thinking of an answer from outside, where the provider can be told to. */
  readonly control?: ThinkingControl | undefined;
}

/** A model that is listed by name. */
export interface ListedModel {
  readonly id: string;
  readonly provider: string;
}

/** A provider whose models go by `provider/model`. */
export interface RoutedProvider {
  readonly name: string;
  readonly engine: Engine;
  readonly appliesRules: boolean;
  readonly control?: ThinkingControl | undefined;
}

/** What a {@link ModelRouter} is made of. */
export interface ModelRoutes {
  readonly providers: readonly RoutedProvider[];
  /** Models by a name of their own, such as `pip`; the first one answers requests without a model. */
  readonly models: ReadonlyMap<string, Target>;
  /** Other names of models, listed or not. */
  readonly aliases: ReadonlyMap<string, string>;
  /** By model: the models that are tried in turn when it fails before it has said anything. */
  readonly fallbacks: ReadonlyMap<string, readonly string[]>;
}

/** Finds out which engines a model's name stands for. */
export class ModelRouter {
  readonly #routes: ModelRoutes;

  constructor(routes: ModelRoutes) {
    this.#routes = routes;
  }

  list(): readonly ListedModel[] {
    const { models, aliases } = this.#routes;
    const own = [...models].map(([id, { provider }]) => ({ id, provider }));
    return [...own, ...[...aliases].map(([id, name]) => ({ id, provider: this.#find(name).provider }))];
  }

  /** The names of the providers, any model of which can be asked for. */
  providers(): readonly string[] {
    return this.#routes.providers.map(({ name }) => name);
  }

  /** The model to ask, and those to ask instead if it fails. Refuses a name that nobody has. */
  resolve(name: string): readonly Target[] {
    const { aliases, fallbacks } = this.#routes;
    const others = fallbacks.get(name) ?? fallbacks.get(aliases.get(name) ?? name) ?? [];
    return [name, ...others].map((each) => this.#find(each));
  }

  /** A model by its name, listed or not; undefined if nobody has it. */
  find(name: string): ListedModel | undefined {
    const target = this.#lookUp(name);
    return target && { id: name, provider: target.provider };
  }

  #find(name: string): Target {
    const target = this.#lookUp(name);
    if (target !== undefined) return target;
    const meant = this.#routes.aliases.get(name) ?? name;
    throw new RequestError("not_found", `There is no model ${quoteValue(meant)}; ${this.#advice()}`);
  }

  #lookUp(name: string): Target | undefined {
    const { models, aliases, providers } = this.#routes;
    const meant = aliases.get(name) ?? name;
    const model = models.get(meant);
    if (model !== undefined) return model;
    const slash = meant.indexOf("/");
    const provider = providers.find((each) => each.name === meant.slice(0, slash));
    if (slash <= 0 || slash >= meant.length - 1 || provider === undefined) return undefined;
    const { engine, appliesRules, control } = provider;
    return { engine, appliesRules, control, provider: provider.name, model: meant.slice(slash + 1) };
  }

  #advice(): string {
    const { models, aliases } = this.#routes;
    const names = [...models.keys(), ...aliases.keys()];
    const prefixes = this.providers().map((name) => `${name}/…`);
    return `the models are ${[...names, ...prefixes].join(", ")}`;
  }
}
