import { describe, expect, it } from "vitest";
import { joinReplicas, ownerLostSignal } from "../../src/control/index.ts";
import type { GenerationStore, Replica, ReplicaOptions, StopOrder } from "../../src/control/index.ts";
import { FullstopError } from "../../src/index.ts";
import { finish, text } from "../../src/testing/index.ts";
import { Link } from "../support/control/link.ts";
import type { Lags, LinkState } from "../support/control/link.ts";
import { SharedStore } from "../support/control/shared-store.ts";
import { createMovingClock } from "../support/moving-clock.ts";

const LEASE = 10_000;
const AWAY: readonly LinkState[] = ["failing", "deaf", "silent"];

const orderOf = (reason: string): StopOrder => ({ mode: "stop", reason });

interface Member {
  readonly link: Link;
  readonly replica: Replica;
  readonly failures: unknown[];
}

/** Replicas that share a store. */
class Scene {
  readonly clock = createMovingClock();
  readonly shared = new SharedStore(this.clock);

  async join(
    name: string,
    lags?: Lags,
    change: Partial<GenerationStore> = {},
    state: LinkState = "up",
  ): Promise<Member> {
    const link = new Link(this.shared, this.clock, lags);
    link.set(state);
    const failures: unknown[] = [];
    const joining = joinReplicas({
      name,
      store: { ...link.store, ...change },
      leaseMilliseconds: LEASE,
      clock: this.clock,
      onFailure: (error) => failures.push(error),
    });
    // A store that does not answer is not waited for longer than that.
    await this.clock.advance(LEASE / 4);
    return { link, replica: await joining, failures };
  }

  /** A running generation with two events. */
  async open(id: string, holder: string): Promise<void> {
    await this.shared.data.open({ id, owner: "alice", model: "pip", startedAt: 0, holder });
    await this.shared.data.append(id, 0, [text("one "), text("two ")]);
  }

  async order(id: string, ...reasons: readonly string[]): Promise<void> {
    for (const reason of reasons) await this.shared.data.order(id, orderOf(reason));
  }

  pass(milliseconds = 0): Promise<void> {
    return this.clock.advance(milliseconds);
  }

  async endingOf(id: string): Promise<unknown> {
    return (await this.shared.data.find(id))?.signal?.detail;
  }
}

/** Takes orders, and gives the list that they are written to. */
function take({ replica }: Member, id: string): string[] {
  const reasons: string[] = [];
  replica.take(id, ({ reason }) => reasons.push(reason));
  return reasons;
}

describe("the orders that a replica takes", () => {
  it("are carried out at once, each once and in the order in which they were left", async () => {
    const scene = new Scene();
    const one = await scene.join("one");
    await scene.open("g", "one");
    await scene.open("h", "one");
    const [forG, forH] = [take(one, "g"), take(one, "h")];
    await scene.order("g", "a", "b", "a");
    await scene.order("h", "c");
    await scene.pass();
    expect([forG, forH]).toEqual([["a", "b", "a"], ["c"]]);
    await scene.pass(3 * LEASE);
    expect([forG, forH]).toEqual([["a", "b", "a"], ["c"]]);
  });

  it("are each carried out once where notices come slowly and the answers to them overtake each other", async () => {
    const scene = new Scene();
    const lags = [30, 1, 20, 2, 10, 3];
    const inner = scene.shared;
    // Every other answer takes longer than the next one.
    const orders: GenerationStore["orders"] = async (id) => {
      const found = await inner.data.orders(id);
      await new Promise<void>((resolve) => scene.clock.after(lags.shift() ?? 0, resolve));
      return found;
    };
    const one = await scene.join("one", undefined, { orders });
    await scene.open("g", "one");
    const reasons = take(one, "g");
    for (const reason of ["a", "b", "c", "d"]) {
      await scene.order("g", reason);
      await scene.pass(2);
    }
    await scene.pass(200);
    expect(reasons).toEqual(["a", "b", "c", "d"]);
  });

  it("include those that were left before it took any", async () => {
    const scene = new Scene();
    const one = await scene.join("one");
    await scene.open("g", "one");
    await scene.order("g", "a");
    const reasons = take(one, "g");
    await scene.pass(LEASE / 4);
    expect(reasons).toEqual(["a"]);
  });

  it.each(AWAY)("include those that were left while the store was %s to it", async (state) => {
    const scene = new Scene();
    const one = await scene.join("one");
    await scene.open("g", "one");
    const reasons = take(one, "g");
    await scene.order("g", "a");
    await scene.pass();
    one.link.set(state);
    await scene.order("g", "b", "c");
    await scene.pass(LEASE / 4);
    expect(reasons).toEqual(["a"]);
    one.link.set("up");
    await scene.pass(LEASE / 4);
    expect(reasons).toEqual(["a", "b", "c"]);
  });

  it.each(AWAY)("include those that were left when the store was %s as it joined", async (state) => {
    const scene = new Scene();
    await scene.open("g", "one");
    const one = await scene.join("one", undefined, {}, state);
    const reasons = take(one, "g");
    await scene.order("g", "a");
    one.link.set("up");
    await scene.pass(LEASE / 4);
    await scene.order("g", "b");
    await scene.pass();
    expect(reasons).toEqual(["a", "b"]);
    expect(one.failures.length).toBeGreaterThan(0);
  });

  it("include within a lease those of which no notice came", async () => {
    const scene = new Scene();
    const one = await scene.join("one", { call: () => 0, notice: () => Infinity });
    await scene.open("g", "one");
    const reasons = take(one, "g");
    await scene.pass(LEASE);
    await scene.order("g", "a");
    await scene.pass(LEASE + LEASE / 8);
    expect(reasons).toEqual(["a"]);
  });

  it("include those of a store that cannot call it", async () => {
    const scene = new Scene();
    const one = await scene.join("one", undefined, { watchOrders: () => Promise.reject(new Error("No notices")) });
    await scene.open("g", "one");
    const reasons = take(one, "g");
    for (const reason of ["a", "b", "c"]) {
      await scene.order("g", reason);
      await scene.pass(LEASE / 8);
      expect(reasons.at(-1)).toBe(reason);
    }
    expect(reasons).toEqual(["a", "b", "c"]);
  });

  it("include those for which the look failed", async () => {
    const scene = new Scene();
    let isFailing = true;
    const orders: GenerationStore["orders"] = (id) =>
      isFailing ? Promise.reject(new Error("The store cannot be reached")) : scene.shared.data.orders(id);
    const one = await scene.join("one", undefined, { orders });
    await scene.open("g", "one");
    const reasons = take(one, "g");
    await scene.order("g", "a");
    await scene.pass();
    isFailing = false;
    await scene.pass(LEASE / 4);
    expect(reasons).toEqual(["a"]);
  });

  it("are taken from a store again that has forgotten the ones before", async () => {
    const scene = new Scene();
    const one = await scene.join("one");
    await scene.open("g", "one");
    const reasons = take(one, "g");
    await scene.order("g", "a");
    await scene.pass();
    await scene.shared.forget();
    await scene.open("g", "one");
    await scene.order("g", "b");
    await scene.pass();
    expect(reasons).toEqual(["a", "b"]);
  });

  it("are looked for at all of them when the store says that some may have been missed", async () => {
    const scene = new Scene();
    let miss: ((id: string | undefined) => void) | undefined;
    const watchOrders: GenerationStore["watchOrders"] = async (_holder, ordered) => {
      miss = ordered;
      return () => undefined;
    };
    const one = await scene.join("one", undefined, { watchOrders });
    await scene.open("g", "one");
    await scene.open("h", "one");
    const [forG, forH] = [take(one, "g"), take(one, "h")];
    await scene.pass(LEASE / 8);
    await scene.order("g", "a");
    await scene.order("h", "b");
    await scene.pass();
    expect([forG, forH]).toEqual([[], []]);
    miss?.(undefined);
    await scene.pass();
    expect([forG, forH]).toEqual([["a"], ["b"]]);
  });

  it("may be looked for at many generations at once", async () => {
    const scene = new Scene();
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warn);
    const one = await scene.join("one", { call: () => 100, notice: () => 0 });
    const taken = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        await scene.open(`${index}`, "one");
        return take(one, `${index}`);
      }),
    );
    for (const index of taken.keys()) await scene.order(`${index}`, `${index}`);
    await scene.pass(1_000);
    process.off("warning", warn);
    expect(taken).toEqual(Array.from({ length: 100 }, (_, index) => [`${index}`]));
    expect(warnings).toEqual([]);
  });

  it("end with the taking, and only with that of one's own", async () => {
    const scene = new Scene();
    const one = await scene.join("one");
    await scene.open("g", "one");
    const [first, second]: [string[], string[]] = [[], []];
    const leave = one.replica.take("g", ({ reason }) => first.push(reason));
    one.replica.take("g", ({ reason }) => second.push(reason));
    leave();
    await scene.order("g", "a");
    await scene.pass();
    expect([first, second]).toEqual([[], ["a"]]);
  });

  it("are not carried out any more when they are found after the taking has ended", async () => {
    const scene = new Scene();
    const one = await scene.join("one", { call: () => 10, notice: () => 0 });
    await scene.open("g", "one");
    const reasons: string[] = [];
    const leave = one.replica.take("g", ({ reason }) => reasons.push(reason));
    await scene.order("g", "a");
    await scene.pass(5);
    leave();
    await scene.pass(LEASE);
    expect(reasons).toEqual([]);
  });
});

describe("a replica that is lost", () => {
  it("has its generations ended within the lease, with what was recorded of them", async () => {
    const scene = new Scene();
    await scene.join("one");
    const two = await scene.join("two");
    await scene.open("one's", "one");
    await scene.open("two's", "two");
    two.link.set("gone");
    await scene.pass(LEASE);
    expect(await scene.shared.data.read("two's", 0)).toEqual([
      text("one "),
      text("two "),
      { type: "finish", signal: ownerLostSignal("two") },
    ]);
    expect(ownerLostSignal("two")).toMatchObject({ reason: "error_termination", detail: "owner_lost" });
    expect(await scene.endingOf("one's")).toBeUndefined();
  });

  it.each(Array.from({ length: 16 }, (_, index) => index / 16))(
    "does so wherever in its round it was: %d",
    async (part) => {
      const scene = new Scene();
      // With a store that is so slow that a round takes longer than the pause between two.
      await scene.join("one", { call: () => 400, notice: () => 0 });
      await scene.pass((LEASE / 8) * part);
      const two = await scene.join("two", { call: () => 400, notice: () => 0 });
      await scene.open("g", "two");
      await scene.pass((LEASE / 8) * ((part * 7) % 1));
      two.link.set("gone");
      await scene.pass(LEASE);
      expect(await scene.endingOf("g")).toBe("owner_lost");
    },
  );

  it("is found by a replica that joins only after it has gone", async () => {
    const scene = new Scene();
    await scene.open("g", "one, before it was restarted");
    await scene.join("one");
    await scene.pass(LEASE);
    expect(await scene.endingOf("g")).toBe("owner_lost");
  });

  it("keeps the ending that it has had", async () => {
    const scene = new Scene();
    await scene.join("one");
    await scene.open("g", "two");
    await scene.shared.data.finish("g", finish().signal);
    await scene.pass(LEASE);
    expect(await scene.shared.data.find("g")).toMatchObject({ signal: finish().signal, events: 3 });
  });

  it("is found after the store was away, within the lease from then on", async () => {
    const scene = new Scene();
    const one = await scene.join("one");
    const two = await scene.join("two");
    await scene.open("g", "two");
    two.link.set("gone");
    one.link.set("failing");
    await scene.pass(5 * LEASE);
    one.link.set("up");
    await scene.pass(LEASE);
    expect(await scene.endingOf("g")).toBe("owner_lost");
  });
});

describe("a replica that lives", () => {
  it.each(AWAY)("is not taken for lost when the store was %s to all and they come back one by one", async (state) => {
    const scene = new Scene();
    const members = [await scene.join("one"), await scene.join("two"), await scene.join("three")];
    for (const { replica } of members) await scene.open(`${replica.name}'s`, replica.name);
    for (const { link } of members) link.set(state);
    await scene.pass(5 * LEASE);
    for (const { link } of members) {
      link.set("up");
      await scene.pass(LEASE / 5);
    }
    await scene.pass(3 * LEASE);
    for (const { replica } of members) expect(await scene.endingOf(`${replica.name}'s`)).toBeUndefined();
  });

  it("is not taken for lost when the store has forgotten that it lives", async () => {
    const scene = new Scene();
    await scene.join("one");
    await scene.join("two");
    for (let times = 0; times < 20; times += 1) {
      await scene.shared.forget();
      await scene.open("g", "two");
      await scene.pass(LEASE + LEASE / 99);
      expect(await scene.endingOf("g")).toBeUndefined();
    }
  });

  it("is not taken for lost because nobody can give it orders", async () => {
    const scene = new Scene();
    await scene.join("one");
    const unreachable: Partial<GenerationStore> = {
      watchOrders: () => Promise.reject(new Error("No notices")),
      orders: () => new Promise(() => undefined),
    };
    const two = await scene.join("two", undefined, unreachable);
    await scene.open("g", "two");
    take(two, "g");
    await scene.pass(5 * LEASE);
    expect(await scene.endingOf("g")).toBeUndefined();
    expect(two.failures.length).toBeGreaterThan(0);
  });

  it("is not taken for lost because of one renewal that is not answered", async () => {
    const scene = new Scene();
    await scene.join("one");
    const two = await scene.join("two");
    await scene.open("g", "two");
    for (let times = 0; times < 5; times += 1) {
      two.link.set("silent");
      await scene.pass(LEASE / 8);
      two.link.set("failing");
      two.link.set("up");
      await scene.pass(LEASE / 4);
    }
    expect(await scene.endingOf("g")).toBeUndefined();
  });

  it("goes on looking after others when looking for orders fails", async () => {
    const scene = new Scene();
    await scene.join("one", undefined, { watchOrders: () => Promise.reject(new Error("No notices")) });
    await scene.open("g", "two");
    await scene.pass(LEASE);
    expect(await scene.endingOf("g")).toBe("owner_lost");
  });
});

describe("a replica that is closed", () => {
  it.each(["up", ...AWAY] as const)("leaves no timer and no watch, also if the store is %s", async (state) => {
    const scene = new Scene();
    const one = await scene.join("one");
    await scene.open("g", "one");
    const reasons = take(one, "g");
    one.link.set(state);
    await scene.pass(LEASE / 8);
    one.replica.close();
    await scene.pass();
    expect(scene.clock.timers()).toBe(0);
    const { length } = one.failures;
    one.link.set("up");
    await scene.order("g", "a");
    await scene.pass(LEASE);
    expect([scene.shared.watches, scene.clock.timers(), reasons, one.failures.length]).toEqual([0, 0, [], length]);
  });

  it("watches no more, also if the watch begins only then", async () => {
    const scene = new Scene();
    const one = await scene.join("one", undefined, {}, "silent");
    one.replica.close();
    one.link.set("up");
    await scene.pass();
    expect([scene.shared.watches, scene.clock.timers()]).toEqual([0, 0]);
  });
});

describe("joining the replicas", () => {
  it.each<readonly [Partial<ReplicaOptions>, string]>([
    [{ name: "" }, `name must be a word that is not empty, got ""`],
    [{ name: 5 as never }, "got 5"],
    [{ leaseMilliseconds: 0 }, "leaseMilliseconds must be a whole number of at least 100, got 0"],
    [{ leaseMilliseconds: Number.NaN }, "got NaN"],
    [{ lease: 5 } as object, `got "lease"`],
  ])("refuses %j", async (options, message) => {
    const scene = new Scene();
    const { store } = new Link(scene.shared, scene.clock);
    const attempt = joinReplicas({ store, name: "one", clock: scene.clock, ...options });
    await expect(attempt).rejects.toThrow(FullstopError);
    await expect(attempt).rejects.toThrow(message);
    expect(scene.clock.timers()).toBe(0);
  });
});
