import { randomUUID } from "node:crypto";
import { createTerminationSignal } from "fullstop";
import type { TerminationSignal } from "fullstop";
import type { GenerationRecord, Store } from "fullstop/control";
import { afterEach } from "vitest";
import { openRedisStore } from "../../src/stores/redis-store.ts";
import type { RedisStoreOptions } from "../../src/stores/redis-store.ts";
import { startProxy } from "./redis-proxy.ts";
import type { RedisProxy } from "./redis-proxy.ts";
import { startRedis } from "./redis-server.ts";
import type { RedisServer, RedisServerOptions } from "./redis-server.ts";

/** Servers and stores of a test, gone after it. */
export interface RedisRoom {
  readonly start: (options?: RedisServerOptions) => Promise<RedisServer>;
  readonly startProxy: (redis: RedisServer) => Promise<RedisProxy>;
  readonly open: (options: RedisStoreOptions) => Promise<Store>;
}

/** Makes a room for the tests of this file. */
export function createRedisRoom(): RedisRoom {
  const leftovers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    const failures: unknown[] = [];
    for (const clean of leftovers.splice(0).toReversed()) await clean().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, "not everything could be cleaned up");
  });
  return {
    async start(options) {
      const redis = await startRedis(options);
      leftovers.push(() => redis.stop());
      return redis;
    },
    async startProxy(redis) {
      const proxy = await startProxy(redis.url);
      leftovers.push(() => proxy.close());
      return proxy;
    },
    async open(options) {
      const store = await openRedisStore({ timeoutMilliseconds: 500, ...options });
      leftovers.push(() => store.close());
      return store;
    },
  };
}

/** The record of a generation for a test. */
export function recordOf(parts: Partial<GenerationRecord> = {}): GenerationRecord {
  return { id: randomUUID(), owner: "alice", model: "pip", startedAt: 1, holder: "one", ...parts };
}

/** An ending that can be told from others. */
export function endingOf(detail: string): TerminationSignal {
  return createTerminationSignal({
    reason: "cancelled",
    detail,
    originalField: "cancel",
    originalValue: detail,
    message: "Generation stopped",
  });
}
