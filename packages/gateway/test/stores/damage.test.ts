import { text } from "fullstop/testing";
import Database from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { createRedisKeys } from "../../src/stores/redis-keys.ts";
import { openSqliteStore } from "../../src/stores/sqlite-store.ts";
import { StoreDamage } from "../../src/stores/stored-values.ts";
import { createFolder } from "../support/folder.ts";
import { createRedisRoom, endingOf, recordOf } from "../support/redis-room.ts";

const SECRET = "marmalade";

/** What may stand where something else was written. */
const DAMAGES: readonly (readonly [what: string, json: string])[] = [
  ["no JSON", `${SECRET} and more`],
  ["half of what was written", `{"id":"${SECRET}`],
  ["nothing", "null"],
  ["a number", "5"],
  ["an empty object", "{}"],
  ["an empty list", "[]"],
  ["several values", "1,2"],
];

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Whether something is told as damage, and quotes nothing. */
function isDamage(error: unknown): boolean {
  return error instanceof StoreDamage && !String(error).includes(SECRET);
}

describe("what stands in Redis where something else was written", () => {
  const { start, open } = createRedisRoom();
  const keys = createRedisKeys("fullstop:");

  it("is told, and not quoted", async () => {
    const redis = await start();
    const store = await open({ url: redis.url });
    await store.open(recordOf({ id: "a" }));
    await store.writeDocument("folder", "name", "value", { keepMilliseconds: 60_000, expected: "any" });
    for (const [what, json] of DAMAGES) {
      await redis.command("HSET", keys.generation("a").state, "record", json);
      await redis.command("HSET", keys.folder("folder").document("name"), "value", json);
      const reads = [() => store.find("a"), () => store.readDocument("folder", "name")];
      for (const [index, read] of reads.entries()) {
        const error = await failure(read());
        expect({ what, index, isTold: isDamage(error) }).toEqual({ what, index, isTold: true });
      }
    }
  });

  it("is left out of lists, which tell of it and keep all the others", async () => {
    const redis = await start();
    const told: Error[] = [];
    const store = await open({ url: redis.url, onError: (error) => told.push(error) });
    const stop = { mode: "stop", reason: "user" } as const;
    for (const id of ["a", "b"]) {
      await store.open(recordOf({ id }));
      await store.open(recordOf({ id: `ended ${id}` }));
      await store.finish(`ended ${id}`, endingOf("user"));
    }
    for (let orders = 0; orders < 2; orders += 1) await store.order("b", stop);
    for (const [what, json] of DAMAGES) {
      await redis.command("HSET", keys.ownedBy("alice"), "a", json);
      await redis.command("HSET", keys.heldBy("one"), "a", json);
      await redis.command("LSET", keys.generation("b").orders, "0", json);
      await redis.command("HSET", keys.ended, "ended a", json);
      told.length = 0;
      const lists = [await store.live(), await store.live("alice"), await store.abandoned(), await store.ended()];
      const ids = lists.map((list) => list.map(({ id }) => id));
      expect({ what, ids }).toEqual({ what, ids: [["b"], ["b"], ["b"], ["ended b"]] });
      expect({ what, orders: await store.orders("b") }).toEqual({ what, orders: [stop] });
      expect({ what, told: told.map(isDamage) }).toEqual({ what, told: [true, true, true, true, true] });
    }
  });

  it("is told of events as well, of which there may be none", async () => {
    const redis = await start();
    const store = await open({ url: redis.url });
    for (const [index, [what, json]] of DAMAGES.entries()) {
      const id = `g${index}`;
      await store.open(recordOf({ id }));
      await redis.command("XADD", keys.generation(id).events, "1-0", "e", json);
      const error = await failure(store.read(id, 0));
      expect({ what, isTold: isDamage(error) }).toEqual({ what, isTold: what !== "an empty list" });
    }
  });

  it.each(["x", "-1", "1.5", ""])("is told of a count that is none: %j", async (count) => {
    const redis = await start();
    const store = await open({ url: redis.url });
    await store.open(recordOf({ id: "a" }));
    await redis.command("HSET", keys.generation("a").state, "count", count);
    expect(isDamage(await failure(store.find("a")))).toBe(true);
  });
});

describe("what stands in a file where something else was written", () => {
  const folder = createFolder();

  async function writeStore(name: string, sql: string, ...values: readonly unknown[]): Promise<string> {
    const file = folder.path(name);
    const store = await openSqliteStore({ file });
    await store.open(recordOf({ id: "a" }));
    await store.append("a", 0, [text("x")]);
    await store.open(recordOf({ id: "b" }));
    await store.finish("b", endingOf("user"));
    await store.close();
    const database = new Database(file);
    database.prepare(sql).run([...values]);
    database.close();
    return file;
  }

  it.each(DAMAGES)("is told when it is read: %s", async (what, json) => {
    const file = await writeStore(
      `read-${what}.sqlite`,
      "UPDATE generation SET record = ? WHERE ending IS NOT NULL",
      json,
    );
    const store = await openSqliteStore({ file });
    onTestFinished(() => store.close());
    expect(isDamage(await failure(store.find("b")))).toBe(true);
  });

  it("is told of an end that does not say how, instead of passing for no end", async () => {
    const file = await writeStore("end.sqlite", "UPDATE generation SET signal = NULL WHERE ending IS NOT NULL");
    const store = await openSqliteStore({ file });
    onTestFinished(() => store.close());
    expect(isDamage(await failure(store.find("b")))).toBe(true);
  });

  it.each(DAMAGES)("is told when the file is opened and something has to be ended: %s", async (what, json) => {
    const sql = "UPDATE generation SET record = ? WHERE ending IS NULL";
    const file = await writeStore(`open-${what}.sqlite`, sql, json);
    const error = await failure(openSqliteStore({ file }));
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain("is damaged: move it away, and a new one is made");
    expect(String(error)).not.toContain(SECRET);
  });

  it("is told when SQLite itself finds it", async () => {
    const file = await writeStore("chunk.sqlite", "UPDATE generation SET ending = NULL, signal = NULL");
    const database = new Database(file);
    database.prepare("UPDATE chunk SET events = ?").run([SECRET]);
    database.close();
    const error = await failure(openSqliteStore({ file }));
    expect(String(error)).toContain("is damaged: move it away");
    expect(String(error)).not.toContain(SECRET);
  });
});
