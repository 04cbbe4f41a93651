import type { Engine } from "fullstop";
import type { Provider } from "fullstop/engines";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import type { PartialSettings } from "../rules/generation-settings.ts";
import type { ThinkingControl } from "./llama-server.ts";
import type { Prices } from "./prices.ts";
import type { RefusedStreams } from "./refused-streams.ts";

/** The provider of the models on this machine. */
export const LOCAL_PROVIDER = "local";

/** What there is to know about a model beside what answers for it. */
export interface AskedModel {
  /** What the model is called where it is. */
  readonly model: string;
  /** The name of whoever runs it, such as `openai`, or {@link LOCAL_PROVIDER}. */
  readonly provider: string;
  /** What its tokens cost; undefined where nobody has said it. */
  readonly prices?: Prices | undefined;
}

interface RouteDetails extends AskedModel {
  /** Whether the engine applies stop rules to its own tokens. Otherwise the gateway applies them to what comes. */
  readonly appliesRules: boolean;
  /** The settings of requests that do not say otherwise. */
  readonly defaults?: PartialSettings | undefined;
  /** How to end the thinking of an answer from outside, where the provider can be told to. */
  readonly control?: ThinkingControl | undefined;
  /** Whether answers are asked for as streams; false where the configuration wants whole ones. Default: true. */
  readonly streams?: boolean | undefined;
  /** What was found out about that; undefined where it may differ from one caller to the next. */
  readonly refusedStreams?: RefusedStreams | undefined;
}

/** What answers: an engine, or one that is opened with the key that a caller brings. */
type Source = { readonly engine: Engine } | { readonly openWithKey: (key: string) => Engine };

/** Where a request goes: an engine, and what the model is called there. */
export interface Target extends RouteDetails {
  readonly engine: Engine;
}

/** Where requests for a model go, the caller's key aside. */
export type Route = RouteDetails & Source;

/** A model that is listed by name. */
export interface ListedModel {
  readonly id: string;
  readonly provider: string;
}

/** A provider whose models go by `provider/model`. */
export type RoutedProvider = Pick<RouteDetails, "appliesRules" | "prices" | "control" | "streams" | "refusedStreams"> &
  Source & { readonly name: string };

/** The same, and whom to ask which models it has; undefined where nobody may be asked. */
export type ListedProvider = RoutedProvider & { readonly listing?: Provider | undefined };

/** What a {@link ModelRouter} is made of. */
export interface ModelRoutes {
  readonly providers: readonly RoutedProvider[];
  /** Models by a name of their own, such as `pip`; the first one answers requests without a model. */
  readonly models: ReadonlyMap<string, Route>;
  /** Other names of models, listed or not. */
  readonly aliases: ReadonlyMap<string, string>;
  /** By model: the models that are tried in turn when it fails before it has said anything. */
  readonly fallbacks: ReadonlyMap<string, readonly string[]>;
}

/** Finds out which engines a model's name stands for. */
export class ModelRouter {
  readonly #routes: ModelRoutes;
  /** What all models of a provider have in common, by its name. */
  readonly #sources = new Map<string, Omit<Route, "model"> & Source>();

  constructor(routes: ModelRoutes) {
    this.#routes = routes;
    for (const { name, ...source } of routes.providers) {
      // The first of a name counts.
      if (!this.#sources.has(name)) this.#sources.set(name, { ...source, provider: name });
    }
  }

  list(): readonly ListedModel[] {
    const { models, aliases } = this.#routes;
    const own = [...models].map(([id, { provider }]) => ({ id, provider }));
    return [...own, ...[...aliases].map(([id, name]) => ({ id, provider: this.#find(name).provider }))];
  }

  /** The names of the providers, any model of which can be asked for. */
  providers(): readonly string[] {
    return [...this.#sources.keys()];
  }

  /** The model to ask, and those to ask instead if it fails. Refuses a name that nobody has. */
  resolve(name: string): readonly Route[] {
    const { fallbacks } = this.#routes;
    const named = this.#namesOf(name).find((each) => fallbacks.has(each)) ?? name;
    return [name, ...(fallbacks.get(named) ?? [])].map((each) => this.#find(each));
  }

  /** A model by its name, listed or not; undefined if nobody has it. */
  find(name: string): ListedModel | undefined {
    const route = this.#lookUp(name);
    return route && { id: name, provider: route.provider };
  }

  #find(name: string): Route {
    const route = this.#lookUp(name);
    if (route !== undefined) return route;
    const meant = this.#meantBy(name);
    const details = { code: "model_not_found", param: "model" };
    throw new RequestError("not_found", `There is no model ${quoteValue(meant)}; ${this.#advice()}`, details);
  }

  #lookUp(name: string): Route | undefined {
    const { models } = this.#routes;
    const meant = this.#meantBy(name);
    const model = models.get(meant);
    if (model !== undefined) return model;
    const slash = meant.indexOf("/");
    if (slash <= 0 || slash >= meant.length - 1) return undefined;
    const source = this.#sources.get(meant.slice(0, slash));
    return source && { model: meant.slice(slash + 1), ...source };
  }

  /** The name behind other names. */
  #meantBy(name: string): string {
    return this.#namesOf(name).at(-1) ?? name;
  }

  /** A name and those that it stands for, which may be names of names. One that leads back to itself leads nowhere. */
  #namesOf(name: string): readonly string[] {
    const { aliases } = this.#routes;
    const names = [name];
    for (let next = aliases.get(name); next !== undefined && !names.includes(next); next = aliases.get(next)) {
      names.push(next);
    }
    return names;
  }

  #advice(): string {
    const { models, aliases } = this.#routes;
    const names = [...models.keys(), ...aliases.keys()];
    const prefixes = this.providers().map((name) => `${name}/…`);
    return `the models are ${[...names, ...prefixes].join(", ")}`;
  }
}
