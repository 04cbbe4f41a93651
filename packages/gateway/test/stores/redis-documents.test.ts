import { describe, expect, it } from "vitest";
import { createRedisKeys } from "../../src/stores/redis-keys.ts";
import { createRedisRoom } from "../support/redis-room.ts";

const { start, open } = createRedisRoom();
const { folder } = createRedisKeys("fullstop:");

const minute = { keepMilliseconds: 60_000, expected: "any" } as const;

describe("documents in Redis", () => {
  it("are gone by themselves, and their list with the last of them", async () => {
    const redis = await start();
    const store = await open({ url: redis.url });
    await store.writeDocument("f", "long", "1", minute);
    // The list lasts for those that are longest, whoever was last.
    await store.writeDocument("f", "short", "1", { keepMilliseconds: 30_000, expected: "any" });
    const left = async (key: string): Promise<number> => redis.command<number>("PTTL", key);
    const [long, short] = [await left(folder("f").document("long")), await left(folder("f").document("short"))];
    const list = await left(folder("f").names);
    expect([long > 30_000, long <= 60_000, short > 0, short <= 30_000]).toEqual([true, true, true, true]);
    expect([list > 30_000, list <= 60_000]).toEqual([true, true]);
    expect((await redis.command<string[]>("KEYS", "*")).length).toBe(3);
  });

  it("leave nothing when they were deleted", async () => {
    const redis = await start();
    const store = await open({ url: redis.url });
    for (const name of ["a", "b"]) await store.writeDocument("f", name, "1", minute);
    for (const name of ["a", "b"]) await store.deleteDocument("f", name, "any");
    expect(await redis.command<string[]>("KEYS", "*")).toEqual([]);
  });

  it("do not leave their names in a list that others keep", async () => {
    const redis = await start();
    const store = await open({ url: redis.url });
    await store.writeDocument("f", "other", "1", minute);
    await store.writeDocument("f", "brief", "1", { keepMilliseconds: 1, expected: "any" });
    const listed = async (): Promise<string[]> => {
      // Whoever writes strikes them off, so that a folder that nobody lists does not grow.
      await store.writeDocument("f", "other", "1", minute);
      return redis.command<string[]>("ZRANGE", folder("f").names, "0", "-1");
    };
    await expect.poll(listed).toEqual(["other"]);
  });

  it("are kept for the longest time that can be said", async () => {
    const redis = await start();
    const store = await open({ url: redis.url });
    const longest = { keepMilliseconds: Number.MAX_SAFE_INTEGER, expected: "any" } as const;
    await store.writeDocument("f", "n", "1", longest);
    expect((await store.readDocument("f", "n"))?.value).toBe("1");
    expect(await store.documentNames("f")).toEqual(["n"]);
  });

  it("are written by a server that has forgotten the scripts", async () => {
    const redis = await start({ keepsData: true });
    const store = await open({ url: redis.url });
    const written = await store.writeDocument("f", "n", "1", minute);
    await redis.command("SCRIPT", "FLUSH");
    expect(await store.writeDocument("f", "n", "2", { ...minute, expected: written ?? "none" })).toBeDefined();
    expect(await store.documentNames("f")).toEqual(["n"]);
  });

  it("of one folder live on one server of a cluster, those of others elsewhere", async () => {
    const redis = await start({ isCluster: true });
    const slotOf = async (key: string): Promise<number> => redis.command<number>("CLUSTER", "KEYSLOT", key);
    for (const name of ["", "a", "{b}", "любой"]) {
      const { document, names } = folder(name);
      const slots = await Promise.all([names, document(""), document("{x}"), document("y")].map(slotOf));
      expect(new Set(slots).size).toBe(1);
    }
    const folders = Array.from({ length: 50 }, (_, index) => folder(`chat ${index}`).names);
    expect(new Set(await Promise.all(folders.map(slotOf))).size).toBeGreaterThan(40);
  });
});
