import type { Clock } from "fullstop";
import { followGeneration, joinReplicas } from "fullstop/control";
import type { GenerationStore, StopOrder } from "fullstop/control";
import { createGate, text } from "fullstop/testing";
import { afterEach, describe, expect, it } from "vitest";
import { createRedisRoom, recordOf } from "../support/redis-room.ts";

const { start, startProxy, open } = createRedisRoom();
const HOUR_MILLISECONDS = 60 * 60 * 1_000;

const replicas: { close(): void }[] = [];
afterEach(() => {
  for (const replica of replicas.splice(0)) replica.close();
});

async function join(options: Parameters<typeof joinReplicas>[0]) {
  const replica = await joinReplicas(options);
  replicas.push(replica);
  return replica;
}

/** A clock that goes right and shows the wrong time. */
function createWrongClock(milliseconds: number): Clock {
  return {
    now: () => Date.now() + milliseconds,
    after(wait, callback) {
      const timer = setTimeout(callback, wait);
      return () => clearTimeout(timer);
    },
  };
}

describe("replicas with a store in Redis", () => {
  it("get the orders that were left while they were cut off, each once", async () => {
    const redis = await start();
    const proxy = await startProxy(redis);
    const [mine, theirs] = [await open({ url: proxy.url }), await open({ url: redis.url })];
    const { id } = recordOf();
    await mine.open(recordOf({ id, holder: "mine" }));
    const replica = await join({ store: mine, name: "mine" });
    const carriedOut: StopOrder[] = [];
    let carried = createGate();
    replica.take(id, (order) => {
      carriedOut.push(order);
      carried.open();
    });
    await theirs.order(id, { mode: "skip-thinking", reason: "user" });
    await carried.pass();
    carried = createGate();
    proxy.cut();
    expect(await theirs.order(id, { mode: "stop", reason: "operator" })).toBe("left");
    proxy.mend();
    await carried.pass();
    expect(carriedOut.map(({ mode }) => mode)).toEqual(["skip-thinking", "stop"]);
  });

  it.each([{ ahead: 0 }, { ahead: HOUR_MILLISECONDS }, { ahead: -HOUR_MILLISECONDS }])(
    "end what one of them has left that is gone, with all that it had said, if its clock is $ahead ms ahead",
    async ({ ahead }) => {
      const redis = await start();
      const [lost, kept] = [await open({ url: redis.url }), await open({ url: redis.url })];
      const { id } = recordOf();
      await join({ store: lost, name: "lost", leaseMilliseconds: 400, clock: createWrongClock(ahead) });
      await lost.open(recordOf({ id, holder: "lost" }));
      await lost.append(id, 0, [text("half an "), text("answ")]);

      // It lives for a while, in which the other one looks at it several times and leaves it alone.
      const looks = countLooks(kept, 20);
      await join({ store: looks.store, name: "kept", leaseMilliseconds: 400, clock: createWrongClock(-ahead) });
      await looks.passed;
      expect((await kept.find(id))?.signal).toBeUndefined();

      await lost.close();
      const events = [];
      for await (const batch of followGeneration(kept, id)) events.push(...batch);
      expect(events.slice(0, -1)).toEqual([text("half an "), text("answ")]);
      expect(events.at(-1)).toMatchObject({
        type: "finish",
        signal: { reason: "error_termination", detail: "owner_lost" },
      });
      expect(await kept.live()).toEqual([]);
    },
  );
});

/** A store that says when it was asked for what is abandoned so many times. */
function countLooks(store: GenerationStore, count: number) {
  const gate = createGate();
  let looks = 0;
  const counted: Pick<GenerationStore, "orders" | "watchOrders" | "renew" | "abandoned" | "finish"> = {
    orders: (id) => store.orders(id),
    watchOrders: (holder, ordered) => store.watchOrders(holder, ordered),
    renew: (holder, milliseconds) => store.renew(holder, milliseconds),
    finish: (id, signal, offset) => store.finish(id, signal, offset),
    abandoned() {
      looks += 1;
      if (looks === count) gate.open();
      return store.abandoned();
    },
  };
  return { store: counted, passed: gate.pass() };
}
