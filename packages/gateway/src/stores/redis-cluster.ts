import { setTimeout as wait } from "node:timers/promises";
import { createCluster } from "@redis/client";
import type { RedisClusterOptions } from "@redis/client";
import { ConfigError } from "../config/config-error.ts";
import type { RedisAddress } from "./redis-address.ts";
import { NotConnectedError, connectionOptions, waitBeforeRetry } from "./redis-connections.ts";
import type { RedisConnectionEvents, RedisConnections } from "./redis-connections.ts";

/** What is needed to connect to a cluster. */
export interface RedisClusterPlan {
  /** Some of its servers. */
  readonly roots: readonly [RedisAddress, ...RedisAddress[]];
  readonly timeoutMilliseconds: number;
  /**
   * A channel on which nothing is said. Being subscribed to it keeps the connection for messages, which node-redis
   * closes with the last subscription, and whoever subscribes to it once more learns that the others are renewed.
   */
  readonly quietChannel: string;
}

const DEFAULT_PORT = 6379;

interface RedisTcpAddress {
  readonly host: string;
  readonly port: number;
}

const hearNothing = (): void => undefined;

/** Connects to a cluster by way of any of its servers. */
export function connectToCluster(
  plan: RedisClusterPlan,
  { onListening, onError }: RedisConnectionEvents,
): RedisConnections {
  const cluster = createCluster(clusterOptions(plan));
  const closed = new AbortController();
  const listen = async (): Promise<void> => {
    try {
      await cluster.subscribe(plan.quietChannel, hearNothing);
      onListening();
    } catch (error) {
      onError(error);
    }
  };
  cluster.on("error", onError);
  cluster.on("node-error", onError);
  cluster.on("node-ready", () => void listen());
  const send = async <Reply>(key: string, command: readonly string[]): Promise<Reply> =>
    cluster.sendCommand<Reply>(key, false, [...command]);
  return {
    connected: connect(cluster, closed.signal, onError).then(listen),
    send,
    async subscribe(channel, listener) {
      if (cluster.pubSubNode?.client.isReady !== true) throw new NotConnectedError();
      await cluster.subscribe(channel, listener);
    },
    unsubscribe: (channel, listener) => cluster.unsubscribe(channel, listener),
    open() {
      const nodes = [...cluster.masters.map(({ client }) => client), cluster.pubSubNode?.client];
      return nodes.filter((client) => client !== undefined);
    },
    async close() {
      closed.abort();
      await cluster.close();
    },
    destroy() {
      closed.abort();
      cluster.destroy();
    },
  };
}

/** Tries until it succeeds: node-redis itself tries once only to find a cluster. */
async function connect(
  cluster: { connect(): Promise<unknown> },
  closed: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await cluster.connect();
      return;
    } catch (error) {
      onError(error);
      await wait(waitBeforeRetry(tries), undefined, { signal: closed });
    }
  }
}

function clusterOptions({ roots, timeoutMilliseconds }: RedisClusterPlan): RedisClusterOptions {
  const { commandOptions, socket, ...common } = connectionOptions(timeoutMilliseconds);
  const { credentialsProvider, socket: rootSocket } = roots[0].options;
  const tls = rootSocket?.tls === true ? ({ tls: true } as const) : {};
  return {
    commandOptions,
    // Connects to a server when it is needed: one that is gone must not keep the others from being used.
    minimizeConnections: true,
    rootNodes: roots.map((root) => ({ socket: pickAddress(root) })),
    defaults: {
      ...common,
      ...(credentialsProvider && { credentialsProvider }),
      socket: { ...socket, ...tls },
    },
  };
}

function pickAddress({ options: { socket, database = 0 }, shown }: RedisAddress): RedisTcpAddress {
  if (socket === undefined || "path" in socket || !("host" in socket) || database !== 0) {
    throw new ConfigError(
      `A cluster is reached by redis:// or rediss:// with a host and without a database, got "${shown}"`,
    );
  }
  return { host: socket.host ?? "localhost", port: socket.port ?? DEFAULT_PORT };
}
