import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { joinReplicas } from "fullstop/control";
import type { DestinationStream } from "pino";
import { Gatekeeper } from "../access/gatekeeper.ts";
import { Limiter } from "../access/limiter.ts";
import type { House } from "../doors/answer.ts";
import { Generations } from "../generations/generations.ts";
import { ProviderCatalogue } from "../models/provider-catalogue.ts";
import { createUpstream } from "../upstream/upstream.ts";
import { createOperations } from "../operations/operations.ts";
import type { Operations } from "../operations/operations.ts";
import { readGenerationSettings } from "../rules/generation-settings.ts";
import { openStore } from "../stores/open-store.ts";
import { startRetention } from "../stores/retention-rounds.ts";
import { unrefClock } from "../unref-clock.ts";
import { accessKeysOf } from "./access-keys.ts";
import { buildRouter } from "./build-router.ts";
import { checkNames } from "./check-names.ts";
import { inField } from "./config-error.ts";
import type { GatewayConfig } from "./config.ts";
import type { Environment } from "./environment.ts";
import { logSettingsOf, providerKeys } from "./operations-settings.ts";

/** Everything that a configuration stands for, and how to put it away. */
export interface BuiltHouse extends House {
  /** Where generations are kept, in words. */
  readonly storeDescription: string;
  /** Stops whatever generates, with the detail `shutdown`, frees the models and closes all connections. */
  close(): Promise<void>;
}

/**
 * Builds what a configuration and the environment stand for. Models are not loaded yet. Logs go to `logTo`, line by
 * line; without it there are none.
 */
export async function buildHouse(
  config: GatewayConfig,
  environment: Environment,
  logTo?: DestinationStream,
): Promise<BuiltHouse> {
  const upstream = createUpstream();
  const { router, localModels, listings } = buildRouter(config, environment, upstream.fetch);
  await checkNames(config, router);
  const defaults = inField("defaults", () =>
    readGenerationSettings(config.defaults, { rules: {}, onDisconnect: "stop" }),
  );
  const gatekeeper = new Gatekeeper(accessKeysOf(config, environment), config);
  const operations = createOperations({
    router,
    localModels,
    logs: logSettingsOf(config, environment, logTo),
    areMetricsPublic: config.metrics.public,
    secrets: providerKeys(config, environment),
  });
  const { generations, storeDescription, close } = await openGenerations(config, environment, operations);
  return {
    router,
    generations,
    defaults,
    operations,
    gatekeeper,
    storeDescription,
    catalogue: new ProviderCatalogue({
      providers: listings,
      fetch: upstream.fetch,
      now: Date.now,
      onFailure: (provider, error) => operations.reportMissingList(provider, error),
    }),
    maxBodyBytes: config.limits.maxBodyBytes,
    maxStopCharacters: config.limits.maxStopCharacters,
    limiter: new Limiter({ concurrent: config.limits.concurrent ?? Infinity, now: Date.now }),
    async close() {
      await generations.stopAll("shutdown");
      await generations.settle();
      await Promise.all([...localModels.values()].map((engine) => engine.dispose()));
      await close();
      upstream.close();
    },
  };
}

interface OpenedGenerations {
  readonly generations: Generations;
  readonly storeDescription: string;
  readonly close: () => Promise<void>;
}

async function openGenerations(
  { store: settings, limits, replica: name }: GatewayConfig,
  environment: Environment,
  operations: Operations,
): Promise<OpenedGenerations> {
  const { place, retention, leaseMilliseconds, content } = settings;
  const onStoreFailure = (error: unknown): void => operations.reportStoreFailure(error);
  const { store, description, usualBytes } = await openStore({
    place,
    environment,
    ownFile: "generations.db",
    onError: onStoreFailure,
  });
  const replica = await joinReplicas({
    store,
    // Not the same after a restart, or else what the one before has left would seem to be in good hands.
    name: `${name ?? hostname()}-${randomUUID().slice(0, 8)}`,
    leaseMilliseconds,
    onFailure: onStoreFailure,
    clock: unrefClock,
  });
  const stopRetention = startRetention(
    store,
    { ...retention, maxBytes: retention.maxBytes ?? usualBytes },
    onStoreFailure,
  );
  const generations = new Generations({
    store,
    replica,
    observer: operations.observer,
    answerBytes: limits.maxAnswerBytes,
    keepsContent: content,
    onStoreFailure,
  });
  return {
    generations,
    storeDescription: description,
    async close() {
      stopRetention();
      replica.close();
      await store.close();
    },
  };
}
