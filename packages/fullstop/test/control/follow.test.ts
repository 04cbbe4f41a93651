import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createMemoryStore, followGeneration } from "../../src/control/index.ts";
import type { FollowOptions, GenerationStore } from "../../src/control/index.ts";
import { FullstopError } from "../../src/index.ts";
import type { GenerationEvent } from "../../src/index.ts";
import { createGate, finish, text } from "../../src/testing/index.ts";
import { Link } from "../support/control/link.ts";
import type { Lags } from "../support/control/link.ts";
import { SharedStore } from "../support/control/shared-store.ts";
import { createMovingClock } from "../support/moving-clock.ts";
import type { MovingClock } from "../support/moving-clock.ts";

const PIECES: readonly GenerationEvent[] = Array.from({ length: 5 }, (_, index) => text(`${index}`));
const FINISH = finish();
const ALL: readonly GenerationEvent[] = [...PIECES, FINISH];

interface Scene {
  readonly clock: MovingClock;
  readonly shared: SharedStore;
  readonly link: Link;
  readonly writer: () => GenerationStore;
}

/** A store that holds a running generation, and a way to it. */
async function createScene(lags?: Lags): Promise<Scene> {
  const clock = createMovingClock();
  const shared = new SharedStore(clock);
  await shared.data.open({ id: "g", owner: "alice", model: "pip", startedAt: 0, holder: "one" });
  return { clock, shared, link: new Link(shared, clock, lags), writer: () => shared.data };
}

interface Following {
  readonly seen: GenerationEvent[];
  /** Fulfilled with how the following ended. */
  readonly over: Promise<"over" | Error>;
}

function follow({ link, clock }: Scene, options: FollowOptions = {}): Following {
  const seen: GenerationEvent[] = [];
  const read = async (): Promise<"over"> => {
    for await (const batch of followGeneration(link.store, "g", { clock, ...options })) seen.push(...batch);
    return "over";
  };
  return { seen, over: read().catch((error: unknown) => error as Error) };
}

describe("following a generation", () => {
  it.each([0, 1, 4, 5, 6, 9])("gives what comes from %i on, while it runs and after", async (from) => {
    const scene = await createScene();
    const during = follow(scene, { from });
    for (const [offset, event] of PIECES.entries()) {
      await scene.writer().append("g", offset, [event]);
      await scene.clock.advance(0);
    }
    expect(during.seen).toEqual(PIECES.slice(from));
    await scene.writer().finish("g", FINISH.signal, 5);
    const after = follow(scene, { from });
    await scene.clock.advance(1_000);
    expect(await Promise.all([during.over, after.over])).toEqual(["over", "over"]);
    expect([during.seen, after.seen]).toEqual([ALL.slice(from), ALL.slice(from)]);
    expect([scene.shared.watches, scene.clock.timers()]).toEqual([0, 0]);
  });

  it("ends at once where there is no such generation", async () => {
    const clock = createMovingClock();
    const following = followGeneration(createMemoryStore({ clock }), "other", { clock });
    expect(await following.next()).toEqual({ done: true, value: undefined });
    expect(clock.timers()).toBe(0);
  });

  it("ends without a finish when the generation is deleted in between", async () => {
    const scene = await createScene();
    await scene.writer().append("g", 0, PIECES.slice(0, 2));
    const following = followGeneration(scene.link.store, "g", { clock: scene.clock });
    expect((await following.next()).value).toEqual(PIECES.slice(0, 2));
    await scene.writer().finish("g", FINISH.signal);
    await scene.writer().delete("g");
    expect(await following.next()).toEqual({ done: true, value: undefined });
    expect(scene.shared.watches).toBe(0);
  });

  it("goes on where it was when the store has forgotten everything and is told again", async () => {
    const scene = await createScene();
    await scene.writer().append("g", 0, PIECES.slice(0, 3));
    const { seen, over } = follow(scene);
    await scene.clock.advance(0);
    await scene.shared.forget();
    await scene.writer().open({ id: "g", owner: "alice", model: "pip", startedAt: 0, holder: "one" });
    await scene.writer().append("g", 0, PIECES.slice(0, 2));
    await scene.clock.advance(3_000);
    await scene.writer().append("g", 2, PIECES.slice(2));
    await scene.writer().finish("g", FINISH.signal, 5);
    expect(await over).toBe("over");
    expect(seen).toEqual(ALL);
  });

  it("sees within a second what no notice came of", async () => {
    const scene = await createScene({ call: () => 0, notice: () => Infinity });
    const { seen, over } = follow(scene);
    await scene.clock.advance(500);
    await scene.writer().append("g", 0, PIECES);
    await scene.clock.advance(499);
    expect(seen).toEqual([]);
    await scene.clock.advance(1);
    expect(seen).toEqual(PIECES);
    await scene.writer().finish("g", FINISH.signal);
    await scene.clock.advance(1_000);
    expect(await over).toBe("over");
    expect(seen).toEqual(ALL);
  });

  it("misses nothing that is written while it looks", async () => {
    const scene = await createScene();
    const { store } = scene.link;
    const looked = createGate();
    // The generation grows and ends between the look that found nothing and the question whether there will be more.
    const find: GenerationStore["find"] = async (id) => {
      if (await store.find(id).then((found) => found?.signal === undefined)) {
        await scene.writer().append("g", 0, PIECES);
        await scene.writer().finish("g", FINISH.signal);
        looked.open();
      }
      return store.find(id);
    };
    const following = followGeneration({ ...store, find }, "g", { clock: scene.clock });
    expect((await following.next()).value).toEqual(ALL);
    await looked.pass();
  });

  it.each(["waits", "is silent", "has not begun"])("can be left when the store %s", async (state) => {
    const scene = await createScene();
    const leave = new AbortController();
    if (state === "has not begun") scene.link.set("silent");
    const { over } = follow(scene, { signal: leave.signal });
    await scene.clock.advance(0);
    if (state === "is silent") {
      scene.link.set("silent");
      await scene.clock.advance(1_000);
    }
    leave.abort();
    expect(await over).toBe("over");
    expect(scene.clock.timers()).toBe(0);
    scene.link.set("up");
    await scene.clock.advance(0);
    expect(scene.shared.watches).toBe(0);
  });

  it("leaves no listener on the signal, however often it has waited", async () => {
    const scene = await createScene();
    const { signal } = new AbortController();
    const { over } = follow(scene, { signal });
    for (const [offset, event] of PIECES.entries()) {
      await scene.writer().append("g", offset, [event]);
      await scene.clock.advance(2_000);
    }
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await scene.writer().finish("g", FINISH.signal);
    expect(await over).toBe("over");
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("ends for a reader who leaves while nothing comes", async () => {
    const { link, clock } = await createScene();
    const batches = followGeneration(link.store, "g", { clock });
    const waiting = batches.next();
    await clock.advance(0);
    await batches.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it("asks nothing of a store for somebody who has already left", async () => {
    const scene = await createScene();
    const { seen, over } = follow(scene, { signal: AbortSignal.abort() });
    expect(await over).toBe("over");
    expect([seen.length, scene.link.calls]).toEqual([0, 0]);
  });

  it("shows nothing any more to somebody who leaves while the store reads", async () => {
    const scene = await createScene({ call: () => 10, notice: () => 0 });
    await scene.writer().append("g", 0, PIECES);
    const leave = new AbortController();
    const { seen, over } = follow(scene, { signal: leave.signal });
    await scene.clock.advance(35);
    leave.abort();
    await scene.clock.advance(100);
    expect(await over).toBe("over");
    expect(seen).toEqual([]);
  });

  it.each(["at first", "later"])("fails when the store cannot be reached %s", async (when) => {
    const scene = await createScene();
    if (when === "at first") scene.link.set("failing");
    const { over } = follow(scene);
    await scene.clock.advance(0);
    scene.link.set("failing");
    await scene.clock.advance(1_000);
    expect(await over).toMatchObject({ message: "The store cannot be reached" });
    expect([scene.shared.watches, scene.clock.timers()]).toEqual([0, 0]);
  });

  it.each(["at first", "later"])("fails when the store does not answer %s", async (when) => {
    const scene = await createScene();
    if (when === "at first") scene.link.set("silent");
    const { over } = follow(scene);
    await scene.clock.advance(0);
    scene.link.set("silent");
    await scene.clock.advance(11_000);
    expect(await over).toMatchObject({ message: "The store has not answered for 10000 ms" });
    scene.link.set("up");
    await scene.clock.advance(0);
    expect([scene.shared.watches, scene.clock.timers()]).toEqual([0, 0]);
  });

  it.each<readonly [unknown, string]>([
    [{ from: -1 }, "from, the reader's offset, must be a whole number of at least 0, got -1"],
    [{ from: 1.5 }, "got 1.5"],
    [{ from: "3" }, `got "3"`],
    [{ offset: 3 }, `got "offset"`],
  ])("refuses %j before it begins", (options, message) => {
    const attempt = (): unknown => followGeneration(createMemoryStore(), "g", options as FollowOptions);
    expect(attempt).toThrow(FullstopError);
    expect(attempt).toThrow(message);
  });
});
