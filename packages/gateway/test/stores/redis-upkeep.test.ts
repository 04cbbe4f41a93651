import { applyRetention } from "fullstop/control";
import { text } from "fullstop/testing";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createRedisKeys, decodeName, encodeName } from "../../src/stores/redis-keys.ts";
import { createRedisRoom, endingOf, recordOf } from "../support/redis-room.ts";

const { start, open } = createRedisRoom();
const keys = createRedisKeys("fullstop:");

describe("what a store keeps in Redis", () => {
  it("is gone after a while if nobody comes back for it", async () => {
    const redis = await start();
    const store = await open({ url: redis.url, expiryMilliseconds: 60_000 });
    for (const id of ["running", "ended"]) {
      await store.open(recordOf({ id }));
      await store.append(id, 0, [text("a")]);
      await store.order(id, { mode: "stop", reason: "user" });
      await store.watch(id, () => undefined);
    }
    await store.finish("ended", endingOf("user"));
    await store.renew("one", 10_000);
    const all = await redis.command<string[]>("KEYS", "*");
    expect(all.length).toBeGreaterThanOrEqual(12);
    const lasting: string[] = [];
    for (const key of all) {
      const left = await redis.command<number>("PTTL", key);
      if (!key.startsWith("fullstop:") || left <= 0 || left > 60_000) lasting.push(key);
    }
    expect(lasting).toEqual([]);
  });

  it("is nothing but the lease and the replica when everything was deleted", async () => {
    const redis = await start();
    const store = await open({ url: redis.url });
    await store.renew("one", 10_000);
    for (const id of ["a", "b"]) {
      await store.open(recordOf({ id }));
      await store.append(id, 0, [text("a")]);
      await store.order(id, { mode: "stop", reason: "user" });
      await store.finish(id, endingOf("user"));
    }
    expect(await applyRetention(store, { maxCount: 0 })).toBe(2);
    expect((await redis.command<string[]>("KEYS", "*")).sort()).toEqual([keys.holders, keys.lease("one")].sort());
  });

  it("is kept by its own clock, whatever that of a replica says", async () => {
    const redis = await start();
    const store = await open({ url: redis.url });
    await store.open(recordOf({ id: "g" }));
    await store.finish("g", endingOf("user"));
    const day = 86_400_000;
    vi.useFakeTimers({ now: Date.now() + day + 3_600_000, toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await applyRetention(store, { maxAgeMilliseconds: day })).toBe(0);
    expect(await store.find("g")).toBeDefined();
  });

  it("lists as ended only what has not expired", async () => {
    const redis = await start();
    const store = await open({ url: redis.url, expiryMilliseconds: 1_000 });
    await store.open(recordOf({ id: "old" }));
    await store.finish("old", endingOf("user"));
    // Others that end keep the list.
    const endAnother = async (): Promise<string> => {
      const { id } = recordOf();
      await store.open(recordOf({ id }));
      await store.finish(id, endingOf("user"));
      return id;
    };
    await expect
      .poll(async () => {
        await endAnother();
        return store.find("old");
      })
      .toBeUndefined();
    await expect.poll(async () => (await store.ended()).some(({ id }) => id === "old")).toBe(false);
    expect(await redis.command<number>("HEXISTS", keys.ended, "old")).toBe(0);
    // On a busy machine one may have expired before it is looked for.
    await expect
      .poll(async () => {
        const another = await endAnother();
        return (await store.ended()).some(({ id }) => id === another);
      })
      .toBe(true);
  });

  it("says so if events were taken away from it", async () => {
    const redis = await start();
    const store = await open({ url: redis.url });
    await store.open(recordOf({ id: "g" }));
    await store.append("g", 0, [text("a"), text("b")]);
    await store.append("g", 2, [text("c")]);
    await redis.command("XDEL", keys.generation("g").events, "2-0");
    await expect(store.read("g", 1)).rejects.toThrow(
      'The events 1 to 1 of the generation "g" are gone from Redis; its maxmemory-policy has to be noeviction',
    );
    expect(await store.read("g", 2)).toEqual([text("c")]);
  });
});

describe("the lists of a store in Redis", () => {
  it("forget what has ended when whoever ended it did not come to that", async () => {
    const redis = await start();
    const store = await open({ url: redis.url });
    const record = recordOf({ id: "g" });
    await store.open(record);
    await store.finish("g", endingOf("first"));
    await redis.command("SADD", keys.holders, "one");
    for (const key of [keys.heldBy("one"), keys.ownedBy("alice")]) {
      await redis.command("HSET", key, "g", JSON.stringify(record));
    }
    await redis.command("DEL", keys.ended);
    expect(await store.abandoned()).toEqual([record]);
    expect(await store.finish("g", endingOf("second"))).toEqual({ state: "ended", signal: endingOf("first") });
    expect([await store.live(), await store.live("alice")]).toEqual([[], []]);
    expect((await store.ended()).map(({ id }) => id)).toEqual(["g"]);
  });

  it("forget what was listed and never begun, or has expired", async () => {
    const redis = await start();
    const store = await open({ url: redis.url });
    await store.open(recordOf({ id: "g" }));
    await redis.command("DEL", keys.generation("g").state);
    expect(await store.abandoned()).toHaveLength(1);
    expect(await store.finish("g", endingOf("user"))).toEqual({ state: "behind", events: 0 });
    expect([await store.live(), await store.live("alice")]).toEqual([[], []]);
    await store.open(recordOf({ id: "h" }));
    await store.finish("h", endingOf("user"));
    await redis.command("DEL", keys.generation("h").state, keys.generation("h").events);
    expect(await store.delete("h")).toBe(false);
    expect(await store.ended()).toEqual([]);
  });

  it("do not list a generation for whoever opens it again", async () => {
    const redis = await start();
    const store = await open({ url: redis.url });
    const record = recordOf({ id: "g" });
    await store.open(record);
    await store.open(recordOf({ id: "g", owner: "mallory", holder: "two" }));
    expect(await store.live("mallory")).toEqual([]);
    expect([await store.live(), await store.live("alice")]).toEqual([[record], [record]]);
    await store.finish("g", endingOf("user"));
    await store.open(record);
    expect([await store.live(), await store.live("alice")]).toEqual([[], []]);
  });

  it("forget replicas that are gone and have left nothing", async () => {
    const redis = await start();
    const store = await open({ url: redis.url });
    await store.renew("here", 60_000);
    await store.open(recordOf({ id: "g", holder: "gone" }));
    await store.finish("g", endingOf("user"));
    expect(await store.abandoned()).toEqual([]);
    expect(await redis.command("SMEMBERS", keys.holders)).toEqual(["here"]);
  });
});

describe("names in keys", () => {
  it("are told apart, whatever they are, and never end the hash tag around them", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 0xff_ff })).map((codes) => String.fromCharCode(...codes)),
        fc.string({ unit: fc.constantFrom("{", "}", "%", "\ud83d", "7b;") }),
        (a, b) => {
          const names = [a, b, a + b];
          const encoded = names.map(encodeName);
          expect(encoded.filter((name) => name === "" || /[{}]/u.test(name) || !name.isWellFormed())).toEqual([]);
          expect(encoded.map(decodeName)).toEqual(names);
        },
      ),
    );
  });
});
