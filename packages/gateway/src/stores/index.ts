export { openRedisStore } from "./redis-store.ts";
export type { RedisStoreOptions } from "./redis-store.ts";
export { openSqliteStore } from "./sqlite-store.ts";
export type { SqliteStoreOptions } from "./sqlite-store.ts";
