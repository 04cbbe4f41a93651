import type { GenerationEvent, TerminationSignal } from "fullstop";
import type {
  DocumentVersion,
  EndedGeneration,
  GenerationRecord,
  Listener,
  RecordResult,
  StopOrder,
  Store,
  StoredDocument,
  StoredGeneration,
  Unwatch,
  WriteDocumentOptions,
} from "fullstop/control";
import { parseRedisUrl } from "./redis-address.ts";
import { RedisDocuments } from "./redis-documents.ts";
import { RedisIndex } from "./redis-index.ts";
import { createRedisKeys, decodeName, encodeName } from "./redis-keys.ts";
import type { RedisKeys } from "./redis-keys.ts";
import { RedisLink } from "./redis-link.ts";
import { RedisNotices } from "./redis-notices.ts";
import { ALL_RECORDED, APPEND, DELETE, FINISH, OPEN, ORDER, UNKNOWN } from "./redis-scripts.ts";
import { parseBatches, parseCount, parseOrders, parseRecord, parseSignal } from "./redis-values.ts";
import type { OnDamage } from "./redis-values.ts";

/** How many appends are read in one go at most. */
const APPENDS_PER_READ = 256;

const DAY_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** Options of {@link openRedisStore}. */
export interface RedisStoreOptions {
  /** `redis://`, `rediss://` or `unix://`; of a cluster, some of its servers. */
  readonly url: string | readonly [string, ...string[]];
  /** Whether it is a cluster. Default: if there are several URLs. */
  readonly cluster?: boolean | undefined;
  /** What all keys and channels begin with. Default `fullstop:`. */
  readonly prefix?: string | undefined;
  /** How long anything may take before it is rejected. Default 2,000. */
  readonly timeoutMilliseconds?: number | undefined;
  /**
   * How long after its start, and again after its end, a generation stays in Redis if nobody deletes it. It is there
   * so that a fleet that is gone for good leaves nothing for good. Default: 30 days. It has to be longer than any
   * generation takes, and than retention keeps them.
   */
  readonly expiryMilliseconds?: number | undefined;
  /**
   * Told of what goes wrong with the connection, once for as long as it does, and of what is left out of a list because
   * it is damaged, whenever it is read. Default: nobody.
   */
  readonly onError?: ((error: Error) => void) | undefined;
}

/**
 * Opens a store of generations and documents in Redis 6 or newer, or in Valkey. A server that cannot be reached is no reason to
 * refuse: what is asked of the store is rejected until it can, and `onError` is told why.
 */
export async function openRedisStore(options: RedisStoreOptions): Promise<Store> {
  const { prefix = "fullstop:" } = options;
  if (/[{}]/u.test(prefix)) throw new Error(`The prefix of a Redis store must not have braces, got "${prefix}"`);
  for (const name of ["timeoutMilliseconds", "expiryMilliseconds"] as const) {
    const value = options[name];
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue;
    throw new Error(`${name} of a Redis store must be a whole number above 0, got ${value}`);
  }
  const store = new RedisStore(options, createRedisKeys(prefix));
  await store.opened;
  return store;
}

class RedisStore implements Store {
  readonly #keys: RedisKeys;
  readonly #link: RedisLink;
  readonly #index: RedisIndex;
  readonly #notices: RedisNotices;
  readonly #documents: RedisDocuments;
  readonly #expiryMilliseconds: string;
  readonly #onDamage: OnDamage;
  readonly opened: Promise<void>;

  constructor(options: RedisStoreOptions, keys: RedisKeys) {
    const { url, timeoutMilliseconds = 2_000, expiryMilliseconds = 30 * DAY_MILLISECONDS, onError } = options;
    const [first, ...others] = typeof url === "string" ? ([url] as const) : url;
    this.#keys = keys;
    this.#onDamage = (damage) => onError?.(damage);
    this.#link = new RedisLink({
      addresses: [parseRedisUrl(first), ...others.map(parseRedisUrl)],
      isCluster: options.cluster ?? others.length > 0,
      quietChannel: keys.quiet,
      timeoutMilliseconds,
      onListening: () => this.#notices.callAll(),
      onError: (error) => onError?.(error),
    });
    this.#index = new RedisIndex(this.#link, keys, expiryMilliseconds, this.#onDamage);
    this.#notices = new RedisNotices(this.#link);
    this.#documents = new RedisDocuments(this.#link, keys);
    this.#expiryMilliseconds = String(expiryMilliseconds);
    this.opened = this.#link.opened;
  }

  async open(record: GenerationRecord): Promise<void> {
    const json = JSON.stringify(record);
    // Listed first: one that runs and is not listed would never be found by those who look for abandoned ones.
    await this.#index.addRunning(record, json);
    const { state } = this.#keys.generation(record.id);
    const known = await this.#link.run<readonly [string, string | null] | null>(
      OPEN,
      [state],
      [json, this.#keys.ordersFor(record.holder), this.#expiryMilliseconds],
    );
    if (known !== null) await this.#correct(record, json, known);
  }

  async append(id: string, offset: number, events: readonly GenerationEvent[]): Promise<RecordResult> {
    const keys = this.#keys.generation(id);
    const reply = await this.#link.run<number | string>(
      APPEND,
      [keys.state, keys.events, keys.watched],
      [String(offset), String(events.length), JSON.stringify(events)],
    );
    if (reply === ALL_RECORDED) return { state: "recorded" };
    if (typeof reply === "string") return { state: "ended", signal: parseSignal(reply) };
    if (reply <= offset) return { state: "behind", events: reply };
    return this.append(id, reply, events.slice(reply - offset));
  }

  async finish(id: string, signal: TerminationSignal, offset?: number): Promise<RecordResult> {
    const keys = this.#keys.generation(id);
    const finish: GenerationEvent = { type: "finish", signal };
    const reply = await this.#link.run<number | FinishReply>(
      FINISH,
      [keys.state, keys.events, keys.orders, keys.watched],
      [String(offset ?? 0), JSON.stringify([finish]), JSON.stringify(signal)],
    );
    if (typeof reply !== "number") return this.#settle(id, reply);
    if (reply !== UNKNOWN) return { state: "behind", events: reply };
    // Whoever generates it opens it again; whoever only found it listed found what is not there.
    if (offset === undefined) await this.#index.removeLost(id);
    return { state: "behind", events: 0 };
  }

  async find(id: string): Promise<StoredGeneration | undefined> {
    const { state } = this.#keys.generation(id);
    const [record, count, signal] = await this.#link.send<(string | null)[]>(state, [
      "HMGET",
      state,
      "record",
      "count",
      "signal",
    ]);
    if (typeof record !== "string") return undefined;
    return {
      ...parseRecord(record),
      events: parseCount(count),
      signal: typeof signal === "string" ? parseSignal(signal) : undefined,
    };
  }

  async read(id: string, from: number): Promise<readonly GenerationEvent[]> {
    const { events } = this.#keys.generation(id);
    const entries = await this.#link.send<[id: string, fields: [name: string, json: string]][]>(events, [
      "XRANGE",
      events,
      `${from + 1}-0`,
      "+",
      "COUNT",
      String(APPENDS_PER_READ),
    ]);
    const [first] = entries;
    if (first === undefined) return [];
    const batches = parseBatches(entries.map(([, [, json]]) => json));
    const start = Number.parseInt(first[0], 10) - (batches[0]?.length ?? 0);
    if (start > from) {
      throw new Error(
        `The events ${from} to ${start - 1} of the generation "${id}" are gone from Redis; its maxmemory-policy has to be noeviction`,
      );
    }
    return batches.flat().slice(from - start);
  }

  async live(owner?: string): Promise<readonly GenerationRecord[]> {
    return this.#index.running(owner);
  }

  async ended(): Promise<readonly EndedGeneration[]> {
    return this.#index.ended();
  }

  async delete(id: string): Promise<boolean> {
    const { state, events, orders } = this.#keys.generation(id);
    const hasEnded = await this.#link.run<number | null>(DELETE, [state, events, orders], []);
    if (hasEnded === 0) return false;
    await this.#index.removeEnded([id]);
    return hasEnded === 1;
  }

  async watch(id: string, changed: Listener): Promise<Unwatch> {
    const { watched } = this.#keys.generation(id);
    return this.#notices.watch(watched, () => changed(), "marked");
  }

  async order(id: string, order: StopOrder): Promise<"left" | "ended" | "not_found"> {
    const { state, orders } = this.#keys.generation(id);
    return this.#link.run(ORDER, [state, orders], [JSON.stringify(order), encodeName(id)]);
  }

  async orders(id: string): Promise<readonly StopOrder[]> {
    const { orders } = this.#keys.generation(id);
    return parseOrders(await this.#link.send<string[]>(orders, ["LRANGE", orders, "0", "-1"]), this.#onDamage);
  }

  async watchOrders(holder: string, ordered: (id: string | undefined) => void): Promise<Unwatch> {
    const noticed = (message: string | undefined): void =>
      ordered(message === undefined ? undefined : decodeName(message));
    return this.#notices.watch(this.#keys.ordersFor(holder), noticed, "unmarked");
  }

  async renew(holder: string, milliseconds: number): Promise<void> {
    const key = this.#keys.lease(holder);
    const time = String(Math.max(1, Math.ceil(milliseconds)));
    await Promise.all([this.#link.send(key, ["SET", key, "1", "PX", time]), this.#index.addHolder(holder)]);
  }

  async abandoned(): Promise<readonly GenerationRecord[]> {
    return this.#index.abandoned();
  }

  async readDocument(folder: string, name: string): Promise<StoredDocument | undefined> {
    return this.#documents.readDocument(folder, name);
  }

  async writeDocument(
    folder: string,
    name: string,
    value: string,
    options: WriteDocumentOptions,
  ): Promise<StoredDocument | undefined> {
    return this.#documents.writeDocument(folder, name, value, options);
  }

  async deleteDocument(folder: string, name: string, expected: DocumentVersion | "any"): Promise<boolean> {
    return this.#documents.deleteDocument(folder, name, expected);
  }

  async documentNames(folder: string): Promise<readonly string[]> {
    return this.#documents.documentNames(folder);
  }

  async deleteExpiredDocuments(): Promise<void> {
    return this.#documents.deleteExpiredDocuments();
  }

  async close(): Promise<void> {
    this.#notices.close();
    await this.#link.close();
  }

  /** Lists a generation that was there already as what it is, instead of what it was opened as. */
  async #correct(
    record: GenerationRecord,
    json: string,
    [knownJson, signal]: readonly [string, string | null],
  ): Promise<void> {
    if (knownJson === json && signal === null) return;
    await this.#index.removeRunning(record);
    if (signal === null) await this.#index.addRunning(parseRecord(knownJson), knownJson);
  }

  /** Lists a generation as ended. Done again by whoever comes later, because the first one may not have come to it. */
  async #settle(id: string, [signal, record, endedAt, bytes]: FinishReply): Promise<RecordResult> {
    await Promise.all([
      this.#index.removeRunning(parseRecord(record)),
      this.#index.addEnded(id, Number(endedAt), Number(bytes)),
    ]);
    return signal === null ? { state: "recorded" } : { state: "ended", signal: parseSignal(signal) };
  }
}

/** How it had ended before, its record, when it ended in microseconds, and its size. */
type FinishReply = readonly [signal: string | null, record: string, endedAt: string, bytes: string];
