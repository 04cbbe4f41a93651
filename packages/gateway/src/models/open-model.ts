import type { Engine } from "fullstop";
import { createSkippableEngine } from "fullstop/engines";
import { USUAL_MODEL } from "../command-line/model-options.ts";
import { buildRouter } from "../config/build-router.ts";
import type { GatewayConfig } from "../config/config.ts";
import type { Environment } from "../config/environment.ts";
import { ConfigError } from "../config/config-error.ts";
import { messageOf } from "../message-of.ts";
import { localModelName, withLocalModel } from "./local-model.ts";
import type { Route } from "./model-router.ts";
import { createUpstream } from "../upstream/upstream.ts";

/** A model that a command talks to by itself, without a server in between. */
export interface OpenedModel {
  readonly engine: Engine;
  /** What the model is called where it is. */
  readonly model: string;
  /** What people are told about it. */
  readonly description: string;
  /** About how long a conversation it can follow; undefined where nobody has said it. */
  readonly contextTokens: number | undefined;
  readonly close: () => Promise<void>;
}

/**
 * Opens a model by its name: one of the configuration, `provider/model`, a GGUF file, or `hf:user/model:quant`. Its
 * thinking can be skipped. A local model is loaded, so that one that cannot be is refused at once.
 */
export async function openModel(
  name: string = USUAL_MODEL,
  config: GatewayConfig,
  environment: Environment,
): Promise<OpenedModel> {
  const isFile = localModelName(name) !== name;
  const upstream = createUpstream();
  const { router, localModels } = buildRouter(
    isFile ? withLocalModel(config, name) : config,
    environment,
    upstream.fetch,
  );
  const close = async (): Promise<void> => {
    await Promise.all([...localModels.values()].map((engine) => engine.dispose()));
    upstream.close();
  };
  try {
    const asked = isFile ? localModelName(name) : name;
    const [route] = resolve(() => router.resolve(asked));
    if (route === undefined || !("engine" in route)) {
      throw new ConfigError(`the model ${asked} is asked with a key that callers bring, and here there is no caller`);
    }
    const local = localModels.get(asked);
    const contextTokens = local === undefined ? undefined : (await local.load()).contextTokens;
    const { model, provider, control } = route;
    const skippable = createSkippableEngine(
      route.streams === false ? withoutStreams(route.engine) : route.engine,
      control && { leaveThinking: (id, asWhat, signal) => control.endThinking(id, asWhat, signal) },
    );
    return { engine: skippable, model, description: `${asked} (${provider})`, contextTokens, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** An engine that is asked for whole answers. */
function withoutStreams(engine: Engine): Engine {
  return { ...engine, generate: (request, signal) => engine.generate({ ...request, stream: false }, signal) };
}

function resolve(find: () => readonly Route[]): readonly Route[] {
  try {
    return find();
  } catch (error) {
    throw new ConfigError(messageOf(error));
  }
}
