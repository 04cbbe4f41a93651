// @ts-check
import { join } from "node:path";
import { createMemoryStore } from "fullstop/control";
import { openRedisStore } from "../../packages/gateway/dist/stores/redis-store.js";
import { openSqliteStore } from "../../packages/gateway/dist/stores/sqlite-store.js";
import { createNoStore } from "./no-store.mjs";

/** @typedef {"none" | "memory" | "sqlite" | "redis"} StoreKind */

/**
 * Opens a store of a kind.
 *
 * @param {StoreKind} kind
 * @param {{directory: string, redisUrl: string, name: string}} place
 * @returns {Promise<import("fullstop/control").GenerationStore>}
 */
export async function openStore(kind, { directory, redisUrl, name }) {
  switch (kind) {
    case "none":
      return createNoStore();
    case "memory":
      return createMemoryStore();
    case "sqlite":
      return openSqliteStore({ file: join(directory, `${name}.db`) });
    default:
      return openRedisStore({ url: redisUrl, prefix: `${name}:` });
  }
}
