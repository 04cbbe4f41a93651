import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Store } from "fullstop/control";
import { DOCUMENT_CONTRACT, STORE_CONTRACT } from "fullstop/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRedisStore } from "../../src/stores/redis-store.ts";
import { startRedis } from "../support/redis-server.ts";
import type { RedisServer } from "../support/redis-server.ts";

describe.each([
  { what: "a Redis server", isCluster: false },
  { what: "a Redis cluster", isCluster: true },
])("the store in $what", ({ isCluster }) => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ isCluster });
  });
  afterAll(() => redis.stop());

  const cases = [...STORE_CONTRACT, ...DOCUMENT_CONTRACT].map(({ name, run }) => [name, run] as const);

  it.each(cases)("%s", async (_name, run) => {
    const prefix = `test:${randomUUID()}:`;
    const stores: Store[] = [];
    const errors: Error[] = [];
    const open = async (): Promise<Store> => {
      const store = await openRedisStore({
        url: redis.url,
        cluster: isCluster,
        prefix,
        onError: (error) => errors.push(error),
      });
      stores.push(store);
      return store;
    };
    // The server counts the time, so it has to pass.
    await expect(run({ open, pass: (milliseconds) => wait(milliseconds) })).resolves.toBeUndefined();
    await Promise.all(stores.map((store) => store.close()));
    expect(errors).toEqual([]);
  });
});
