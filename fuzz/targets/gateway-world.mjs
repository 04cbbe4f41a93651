// @ts-check
import { createHash } from "node:crypto";
import { Duplex } from "node:stream";
import { createMemoryStore } from "fullstop/control";
import { createScriptedEngine, finish, reasoning, start, text, usage } from "fullstop/testing";
import { Gatekeeper } from "../../packages/gateway/dist/access/gatekeeper.js";
import { Limiter } from "../../packages/gateway/dist/access/limiter.js";
import { parseConfig } from "../../packages/gateway/dist/config/config.js";
import { logSettingsOf } from "../../packages/gateway/dist/config/operations-settings.js";
import { Generations } from "../../packages/gateway/dist/generations/generations.js";
import { ModelRouter } from "../../packages/gateway/dist/models/model-router.js";
import { ProviderCatalogue } from "../../packages/gateway/dist/models/provider-catalogue.js";
import { createOperations } from "../../packages/gateway/dist/operations/operations.js";
import { createServer } from "../../packages/gateway/dist/server.js";

/** @typedef {import("fullstop/control").Store} Store */

/** How many turns without a word there are before nothing more is waited for. */
const QUIET_TURNS = 12;

/** What everybody's texts have in them, so that one that is told to somebody else is noticed. */
export const SECRETS = { alice: "lighthouse", bob: "marmalade" };

const STARTED_AT = Date.UTC(2026, 0, 1);

/** The generations that are in the store when an input comes. */
export const ENDED = [
  { id: "gen-a1", owner: "alice" },
  { id: "gen-b1", owner: "bob" },
  { id: "resp_a2", owner: "alice" },
  { id: "gen-b2", owner: "bob" },
  { id: "gen-a3", owner: "alice" },
];

/** Those that run. */
export const RUNNING = [
  { id: "live-a", owner: "alice" },
  { id: "live-b", owner: "bob" },
];

/** @param {"alice" | "bob"} owner */
export const textOf = (owner) => `The word of ${owner} is ${SECRETS[owner]}. END and more.`;

/**
 * What a generation that has ended has said.
 *
 * @param {string} id
 * @param {string} owner
 */
export const eventsOf = (id, owner) => [
  start(id, "m"),
  reasoning("Hm. "),
  text(textOf(owner === "bob" ? "bob" : "alice")),
  usage(3, 5),
  finish(),
];

/**
 * What the model says. It waits for ever where it is asked for something that does not end.
 *
 * @param {import("fullstop").GenerationRequest} request
 */
const script = (request) => [
  start("x", request.model),
  reasoning("Hm. "),
  text(request.model === "endless" ? "One more. " : textOf("alice")),
  ...(request.model === "endless" ? [() => new Promise(() => undefined)] : [usage(3, 5), finish()]),
];

/** A scripted engine remembers what it was asked, so that there is a new one each time. @type {import("fullstop").Engine} */
const engine = {
  generate: (request, signal) => createScriptedEngine(script, { skipsThinking: true }).generate(request, signal),
};

const hashOf = (/** @type {string} */ key) => createHash("sha256").update(key).digest("hex");

/** The models of the gateway: some by names of their own, and those of a provider that is asked with the caller's key. */
function createRouter() {
  const route = (/** @type {string} */ model) =>
    /** @type {const} */ ([model, { engine, model, provider: "local", appliesRules: false }]);
  return new ModelRouter({
    providers: [
      { name: "p", engine, appliesRules: false },
      { name: "q", openWithKey: () => engine, appliesRules: false },
    ],
    models: new Map([route("m"), route("endless")]),
    aliases: new Map([["n", "m"]]),
    fallbacks: new Map(),
  });
}

/** A store that can be exchanged for another one behind the back of whoever has it. */
function createExchangeableStore() {
  /** @type {Store} */
  let current = createMemoryStore();
  const store = new Proxy(current, {
    get: (_, name) => {
      /** @type {unknown} */
      const value = Reflect.get(current, name);
      return typeof value === "function" ? /** @type {unknown} */ (value.bind(current)) : value;
    },
  });
  const exchange = (/** @type {Store} */ other) => void (current = other);
  return { store, exchange };
}

/** A store with the generations that have ended in it, a second apart. */
async function fillStore() {
  let now = STARTED_AT;
  const store = createMemoryStore({ clock: { now: () => (now += 1000), after: () => () => undefined } });
  for (const { id, owner } of ENDED) {
    await store.open({ id, owner, holder: "gone", model: "m", startedAt: STARTED_AT });
    const events = eventsOf(id, owner);
    await store.append(id, 0, events.slice(0, -1));
    const last = events.at(-1);
    if (last?.type === "finish") await store.finish(id, last.signal, events.length - 1);
  }
  return store;
}

/** A gateway in memory, with keys `a` of Alice, `b` of Bob and `o` of an operator, whose store is made anew for each input. */
function openWorld() {
  const config = parseConfig({
    keys: [
      { name: "alice", sha256: hashOf("a") },
      { name: "bob", sha256: hashOf("b"), models: ["m"] },
      { name: "olga", sha256: hashOf("o"), operator: true },
    ],
    limits: { maxBodyBytes: 6000, maxHeaderBytes: 4000 },
  });
  const router = createRouter();
  const operations = createOperations({
    router,
    localModels: new Map(),
    logs: logSettingsOf(config, {}, undefined),
    areMetricsPublic: false,
    secrets: [],
  });
  const { store, exchange } = createExchangeableStore();
  /** @type {unknown[]} */
  const storeFailures = [];
  const generations = new Generations({
    store,
    replica: { name: "here", take: () => () => undefined, close: () => undefined },
    observer: operations.observer,
    answerBytes: 1e6,
    keepsContent: true,
    onStoreFailure: (error) => void storeFailures.push(error),
  });
  const app = createServer(
    {
      router,
      catalogue: new ProviderCatalogue({
        providers: [],
        fetch: () => Promise.reject(new Error("nobody is asked")),
        now: Date.now,
        onFailure: () => undefined,
      }),
      operations,
      generations,
      gatekeeper: new Gatekeeper(config.keys, config),
      limiter: new Limiter({ concurrent: Infinity, now: Date.now }),
      defaults: { rules: {}, onDisconnect: "stop" },
      maxBodyBytes: config.limits.maxBodyBytes,
      maxStopCharacters: 2000,
    },
    config,
  );

  /** Puts everything back as it is before an input. */
  async function reset() {
    await generations.stopAll("shutdown");
    await generations.settle();
    exchange(await fillStore());
    for (const { id, owner } of RUNNING) {
      const [target] = router.resolve("endless");
      generations.start({
        id,
        owner,
        request: { model: "endless", messages: [] },
        settings: { rules: {}, onDisconnect: "continue" },
        targets: target !== undefined && "engine" in target ? [target] : [],
      });
    }
    await turns(3);
  }

  return { app, generations, reset, store, storeFailures };
}

/** @typedef {ReturnType<typeof openWorld>} World */

/** The gateway that all inputs are sent to. */
export const world = openWorld();

/**
 * Lets everything come to its turn.
 *
 * @param {number} count
 */
async function turns(count) {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A connection that is no socket: what is sent over it is kept. */
class Connection extends Duplex {
  /** @type {Buffer[]} */
  sent = [];

  /** @override */
  _read() {
    // What comes is pushed.
  }

  /**
   * @override
   * @param {Buffer} bytes
   * @param {string} _encoding
   * @param {() => void} done
   */
  _write(bytes, _encoding, done) {
    this.sent.push(bytes);
    done();
  }
}

/**
 * Sends pieces of bytes over a connection and gives what came back until nothing more does. What runs then is stopped,
 * so that whoever waits for its end gets it.
 *
 * @param {World} world
 * @param {readonly Uint8Array[]} pieces
 * @returns {Promise<Buffer>}
 */
export async function talk({ app, generations }, pieces) {
  await app.ready();
  const connection = new Connection();
  connection.on("error", () => undefined);
  app.server.emit("connection", connection);
  for (const piece of pieces) {
    if (connection.readableEnded || connection.destroyed) break;
    connection.push(piece);
    await turns(1);
  }
  for (const next of [() => generations.stopAll("shutdown"), () => connection.push(null), () => connection.destroy()]) {
    await settle(connection);
    if (connection.destroyed || connection.writableFinished) break;
    await next();
  }
  connection.destroy();
  return Buffer.concat(connection.sent);
}

/** @param {Connection} connection */
async function settle(connection) {
  let known = -1;
  for (let quiet = 0; quiet < QUIET_TURNS && !connection.destroyed && !connection.writableFinished; quiet++) {
    if (connection.sent.length !== known) quiet = 0;
    known = connection.sent.length;
    await turns(1);
  }
}
