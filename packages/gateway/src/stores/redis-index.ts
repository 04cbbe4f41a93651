import type { EndedGeneration, GenerationRecord } from "fullstop/control";
import type { RedisKeys } from "./redis-keys.ts";
import type { RedisLink } from "./redis-link.ts";
import { ENDED } from "./redis-scripts.ts";
import { parseEnded, parseRecords } from "./redis-values.ts";
import type { EndedEntry, OnDamage } from "./redis-values.ts";

/**
 * Which generations run and which have ended. In a cluster the lists live elsewhere than the generations, so they
 * cannot change in one step with them. They are changed before a generation begins and after it has ended: what is in
 * them and should not be is found when somebody wants to end or delete it, and struck off.
 */
export class RedisIndex {
  readonly #link: RedisLink;
  readonly #keys: RedisKeys;
  readonly #expiryMilliseconds: string;
  readonly #onDamage: OnDamage;

  constructor(link: RedisLink, keys: RedisKeys, expiryMilliseconds: number, onDamage: OnDamage) {
    this.#link = link;
    this.#keys = keys;
    this.#expiryMilliseconds = String(expiryMilliseconds);
    this.#onDamage = onDamage;
  }

  async addRunning(record: GenerationRecord, json: string): Promise<void> {
    const { id, holder, owner } = record;
    await Promise.all([
      this.addHolder(holder),
      ...[this.#keys.heldBy(holder), this.#keys.ownedBy(owner)].flatMap((key) => [
        this.#link.send(key, ["HSET", key, id, json]),
        this.#expire(key),
      ]),
    ]);
  }

  async removeRunning({ id, holder, owner }: GenerationRecord): Promise<void> {
    const keys = [this.#keys.heldBy(holder), this.#keys.ownedBy(owner)];
    await Promise.all(keys.map((key) => this.#link.send(key, ["HDEL", key, id])));
  }

  /** Strikes off a generation that is listed without being there. */
  async removeLost(id: string): Promise<void> {
    const holders = await this.#holders();
    const found = await Promise.all(
      holders.map((holder) => {
        const key = this.#keys.heldBy(holder);
        return this.#link.send<string | null>(key, ["HGET", key, id]);
      }),
    );
    const records = parseRecords(
      found.filter((json) => json !== null),
      this.#onDamage,
    );
    await Promise.all(records.map((record) => this.removeRunning(record)));
  }

  async addHolder(holder: string): Promise<void> {
    const key = this.#keys.holders;
    await Promise.all([this.#link.send(key, ["SADD", key, holder]), this.#expire(key)]);
  }

  async running(owner: string | undefined): Promise<readonly GenerationRecord[]> {
    if (owner !== undefined) return this.#recordsIn([this.#keys.ownedBy(owner)]);
    return this.#heldBy(await this.#holders());
  }

  /** What is held by those who do not count as alive. */
  async abandoned(): Promise<readonly GenerationRecord[]> {
    const holders = await this.#holders();
    const leases = await Promise.all(
      holders.map((holder) => {
        const key = this.#keys.lease(holder);
        return this.#link.send<number>(key, ["EXISTS", key]);
      }),
    );
    const gone = holders.filter((_, index) => leases[index] === 0);
    const records = await this.#heldBy(gone);
    const haveLeft = new Set(records.map(({ holder }) => holder));
    await this.#removeHolders(gone.filter((holder) => !haveLeft.has(holder)));
    return records;
  }

  async addEnded(id: string, endedAt: number, bytes: number): Promise<void> {
    const key = this.#keys.ended;
    const entry: EndedEntry = [id, endedAt, bytes];
    await Promise.all([this.#link.send(key, ["HSET", key, id, JSON.stringify(entry)]), this.#expire(key)]);
  }

  async removeEnded(ids: readonly string[]): Promise<void> {
    const key = this.#keys.ended;
    if (ids.length > 0) await this.#link.send(key, ["HDEL", key, ...ids]);
  }

  async ended(): Promise<readonly EndedGeneration[]> {
    const [[seconds, microseconds], values] = await this.#link.run<[[string, string], string[]]>(
      ENDED,
      [this.#keys.ended],
      [],
    );
    const entries = parseEnded(values, this.#onDamage);
    const now = Number(seconds) * 1_000_000 + Number(microseconds);
    const oldest = now - Number(this.#expiryMilliseconds) * 1_000;
    await this.removeEnded(entries.filter(([, endedAt]) => endedAt < oldest).map(([id]) => id));
    return entries
      .filter(([, endedAt]) => endedAt >= oldest)
      .sort(([, a], [, b]) => a - b)
      .map(([id, endedAt, bytes]) => ({
        id,
        endedAt: Math.floor(endedAt / 1_000),
        ageMilliseconds: Math.floor((now - endedAt) / 1_000),
        bytes,
      }));
  }

  async #heldBy(holders: readonly string[]): Promise<readonly GenerationRecord[]> {
    return this.#recordsIn(holders.map((holder) => this.#keys.heldBy(holder)));
  }

  async #recordsIn(keys: readonly string[]): Promise<readonly GenerationRecord[]> {
    const lists = await Promise.all(keys.map((key) => this.#link.send<string[]>(key, ["HVALS", key])));
    return parseRecords(lists.flat(), this.#onDamage).sort((a, b) => a.startedAt - b.startedAt);
  }

  #holders(): Promise<readonly string[]> {
    return this.#link.send<string[]>(this.#keys.holders, ["SMEMBERS", this.#keys.holders]);
  }

  /** Forgets replicas that are gone and have left nothing. One that is not gone after all says so with its next lease. */
  async #removeHolders(holders: readonly string[]): Promise<void> {
    const key = this.#keys.holders;
    if (holders.length > 0) await this.#link.send(key, ["SREM", key, ...holders]);
  }

  #expire(key: string): Promise<unknown> {
    return this.#link.send(key, ["PEXPIRE", key, this.#expiryMilliseconds]);
  }
}
