import type { GenerationEvent } from "fullstop";
import { Recorder, followGeneration } from "fullstop/control";
import type { GenerationStore, Store } from "fullstop/control";
import { createGate, text } from "fullstop/testing";
import { describe, expect, it, vi } from "vitest";
import { createRedisRoom, endingOf, recordOf } from "../support/redis-room.ts";

const { start, startProxy, open } = createRedisRoom();

/** Waits until the store can be reached again. */
async function waitFor(store: GenerationStore): Promise<void> {
  await vi.waitFor(
    async () => {
      await store.find("nothing");
      (await store.watch("nothing", () => undefined))();
    },
    { timeout: 20_000, interval: 10 },
  );
}

async function readAll(store: GenerationStore, id: string): Promise<readonly GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  for await (const batch of followGeneration(store, id)) events.push(...batch);
  return events;
}

/** Every call that a store has, as a table of what must not hang. */
const CALLS: readonly (readonly [string, (store: Store) => Promise<unknown>])[] = [
  ["open", (store) => store.open(recordOf())],
  ["append", (store) => store.append("g", 0, [text("a")])],
  ["finish", (store) => store.finish("g", endingOf("user"))],
  ["find", (store) => store.find("g")],
  ["read", (store) => store.read("g", 0)],
  ["live", (store) => store.live()],
  ["live of one owner", (store) => store.live("alice")],
  ["ended", (store) => store.ended()],
  ["delete", (store) => store.delete("g")],
  ["watch", (store) => store.watch("g", () => undefined)],
  ["order", (store) => store.order("g", { mode: "stop", reason: "user" })],
  ["orders", (store) => store.orders("g")],
  ["watchOrders", (store) => store.watchOrders("one", () => undefined)],
  ["renew", (store) => store.renew("one", 1_000)],
  ["abandoned", (store) => store.abandoned()],
  ["readDocument", (store) => store.readDocument("f", "n")],
  ["writeDocument", (store) => store.writeDocument("f", "n", "value", { keepMilliseconds: 60_000, expected: "any" })],
  ["deleteDocument", (store) => store.deleteDocument("f", "n", "any")],
  ["documentNames", (store) => store.documentNames("f")],
];

/** What comes of every call, by its name. */
async function callAll(store: Store): Promise<Readonly<Record<string, string>>> {
  const outcomes = CALLS.map(async ([name, call]) => {
    const outcome = await call(store).then(
      () => "answered",
      (error: unknown) => /cannot be reached/u.exec(String(error))?.[0] ?? String(error),
    );
    return [name, outcome] as const;
  });
  return Object.fromEntries(await Promise.all(outcomes));
}

function allAre(outcome: string): Readonly<Record<string, string>> {
  return Object.fromEntries(CALLS.map(([name]) => [name, outcome]));
}

describe.each([
  { what: "a server", isCluster: false },
  { what: "a cluster", isCluster: true },
])("a store in $what that is away", ({ isCluster }) => {
  it("rejects whatever is asked of it, says why once, and works again when the server is back", async () => {
    const redis = await start({ isCluster, keepsData: true });
    const errors: string[] = [];
    const store = await open({ url: redis.url, cluster: isCluster, onError: ({ message }) => errors.push(message) });
    await store.open(recordOf({ id: "g" }));
    await redis.kill();
    expect(await callAll(store)).toEqual(allAre("cannot be reached"));
    expect(await callAll(store)).toEqual(allAre("cannot be reached"));
    expect(new Set(errors).size).toBe(errors.length);
    expect(errors).not.toEqual([]);
    await redis.restart();
    await waitFor(store);
    // What was rejected is not carried out after all.
    expect((await store.live()).map(({ id }) => id)).toEqual(["g"]);
    expect(await store.orders("g")).toEqual([]);
    expect(await callAll(store)).toEqual(allAre("answered"));
  });

  it("gives up on a server that is silent, and finds it again", async () => {
    const redis = await start({ isCluster });
    const errors: Error[] = [];
    const store = await open({ url: redis.url, cluster: isCluster, onError: (error) => errors.push(error) });
    await store.open(recordOf({ id: "g" }));
    redis.pause();
    // Calls that come all the time must not hide that nothing is answered.
    const traffic = setInterval(() => void store.find("g").catch(() => undefined), 20);
    expect(await callAll(store)).toEqual(allAre("cannot be reached"));
    await expect
      .poll(() => errors.map(({ message }) => message), { timeout: 20_000 })
      .toContain("no answer within 0.5 s");
    clearInterval(traffic);
    redis.resume();
    await waitFor(store);
    expect(await callAll(store)).toEqual(allAre("answered"));
  });

  it("can be opened before the server is there", async () => {
    const redis = await start({ isCluster });
    await redis.kill();
    const errors: Error[] = [];
    const store = await open({ url: redis.url, cluster: isCluster, onError: (error) => errors.push(error) });
    await expect(store.live()).rejects.toThrow("Redis at ");
    expect(errors).not.toEqual([]);
    await redis.restart();
    await waitFor(store);
    await store.open(recordOf({ id: "g" }));
    expect(await store.live()).toHaveLength(1);
  });

  it("calls whoever watches when it is back, and goes on telling them", async () => {
    const redis = await start({ isCluster, keepsData: true });
    const store = await open({ url: redis.url, cluster: isCluster });
    const other = await open({ url: redis.url, cluster: isCluster });
    const { id } = recordOf();
    await store.open(recordOf({ id }));
    let [changed, ordered] = [createGate(), createGate()];
    const orders: (string | undefined)[] = [];
    await store.watch(id, () => changed.open());
    await store.watchOrders("one", (which) => {
      orders.push(which);
      ordered.open();
    });
    await redis.restart();
    await changed.pass();
    await ordered.pass();
    expect(orders).toContain(undefined);
    await waitFor(other);
    [changed, ordered] = [createGate(), createGate()];
    orders.length = 0;
    await other.append(id, 0, [text("more")]);
    await changed.pass();
    await other.order(id, { mode: "stop", reason: "user" });
    await ordered.pass();
    expect(orders).toContain(id);
  });
});

describe.each([
  { what: "keeps its data", keepsData: true },
  { what: "has lost its data", keepsData: false },
])("a recorder, when Redis is killed and comes back and $what", ({ keepsData }) => {
  it("lets streams go on, and records all of it, with one finish", async () => {
    const redis = await start({ keepsData });
    const store = await open({ url: redis.url });
    const streams = Array.from({ length: 20 }, () => {
      const record = recordOf();
      const events: GenerationEvent[] = [];
      const outcome = { released: 0, endings: 0 };
      const recorder = new Recorder({
        store,
        record,
        events: () => events,
        onRelease: (count) => (outcome.released = count),
        onEnded: () => (outcome.endings += 1),
      });
      const say = (word: string): void => {
        events.push(text(word));
        recorder.advance();
      };
      return { record, events, outcome, recorder, say };
    });
    const sayAll = async (count: number, talking = streams): Promise<void> => {
      for (let word = 0; word < count; word += 1) {
        for (const { say, events } of talking) say(`${events.length} `);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await sayAll(50);
    await redis.kill();
    await sayAll(50);
    // Readers are not kept waiting by a store that is away.
    await vi.waitFor(() => expect(streams.every(({ outcome }) => outcome.released === 100)).toBe(true), 5_000);
    const [early, late] = [streams.slice(0, 10), streams.slice(10)];
    await Promise.all(early.map(({ recorder }) => recorder.finish(endingOf("early"))));
    await redis.restart();
    await waitFor(store);
    await sayAll(50, late);
    await Promise.all(late.map(({ recorder }) => recorder.finish(endingOf("late"))));
    for (const { record, events, outcome } of streams) {
      await vi.waitFor(async () => expect((await store.find(record.id))?.signal).toBeDefined(), 10_000);
      const recorded = await readAll(store, record.id);
      expect(recorded.slice(0, -1)).toEqual(events);
      expect(recorded.filter(({ type }) => type === "finish")).toHaveLength(1);
      expect(outcome.endings).toBe(0);
    }
    expect(await store.live()).toEqual([]);
    expect(await store.ended()).toHaveLength(20);
  });
});

describe("a store whose server has become the replica of another one", () => {
  it("goes to where its address leads by then, which takes what is written", async () => {
    const [before, after] = [await start(), await start()];
    const proxy = await startProxy(before);
    const store = await open({ url: proxy.url });
    await store.open(recordOf({ id: "g" }));
    let isChanged = false;
    const unwatch = await store.watch("h", () => (isChanged = true));
    proxy.lead(after.url);
    await before.command("REPLICAOF", "127.0.0.1", "1");
    await expect(store.append("g", 0, [text("a")])).rejects.toThrow("READONLY");
    await vi.waitFor(() => store.open(recordOf({ id: "h" })), { timeout: 20_000, interval: 10 });
    expect((await store.live()).map(({ id }) => id)).toEqual(["h"]);
    // Whoever has listened before hears of what others write there.
    isChanged = false;
    const other = await open({ url: after.url });
    await other.append("h", 0, [text("a")]);
    await vi.waitFor(() => expect(isChanged).toBe(true));
    unwatch();
    expect(await after.command<number>("DBSIZE")).toBeGreaterThan(0);
  });

  it("stays there, and can be read, as long as its address leads nowhere else", async () => {
    const redis = await start();
    const errors: string[] = [];
    const store = await open({ url: redis.url, onError: ({ message }) => errors.push(message) });
    await store.open(recordOf({ id: "g" }));
    await redis.command("REPLICAOF", "127.0.0.1", "1");
    await expect(store.append("g", 0, [text("a")])).rejects.toThrow("READONLY");
    await vi.waitFor(() => store.find("g"), { timeout: 20_000, interval: 10 });
    // It does not hang up again at every write.
    for (let count = 0; count < 20; count += 1) {
      await expect(store.append("g", 0, [text("a")])).rejects.toThrow("READONLY");
      expect((await store.find("g"))?.id).toBe("g");
    }
    await redis.command("REPLICAOF", "NO", "ONE");
    expect(await store.append("g", 0, [text("a")])).toEqual({ state: "recorded" });
  });
});
