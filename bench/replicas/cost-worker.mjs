// @ts-check
import { joinReplicas } from "fullstop/control";
import { buildHouse } from "../../packages/gateway/dist/config/build-house.js";
import { parseConfig } from "../../packages/gateway/dist/config/config.js";
import { Generations } from "../../packages/gateway/dist/generations/generations.js";
import { createServer } from "../../packages/gateway/dist/server.js";
import { openStore } from "./stores.mjs";

/**
 * A gateway in a process of its own, with one of the stores, that tells how much of the processor it has used.
 *
 * @typedef {{kind: import("./stores.mjs").StoreKind, upstream: string, directory: string, redisUrl: string}} Task
 */

const task = /** @type {Task} */ (JSON.parse(process.argv[2] ?? "{}"));
const { kind, upstream } = task;
const config = parseConfig({ providers: { up: { baseUrl: upstream } } });
const house = await buildHouse(config, { FULLSTOP_STORE: "memory", FULLSTOP_LOG_LEVEL: "error" });
const store = await openStore(kind, { ...task, name: "cost" });
const replica = await joinReplicas({ store, name: "one" });
const generations = new Generations({
  store,
  replica,
  observer: house.operations.observer,
  answerBytes: config.limits.maxAnswerBytes,
  keepsContent: true,
  onStoreFailure: (error) => {
    throw error;
  },
});
const app = createServer({ ...house, generations }, config);
const url = await app.listen({ host: "127.0.0.1", port: 0 });
process.on("message", () => process.send?.({ cpu: process.cpuUsage() }));
process.send?.({ url });
