import { describe, expect, it } from "vitest";
import { Recorder } from "../../src/control/index.ts";
import type { EventRecords, GenerationRecord, RecordedEnding, RecorderOptions } from "../../src/control/index.ts";
import { cancelledSignal } from "../../src/index.ts";
import type { GenerationEvent, TerminationSignal } from "../../src/index.ts";
import { finish, text } from "../../src/testing/index.ts";
import { Link } from "../support/control/link.ts";
import type { LinkState } from "../support/control/link.ts";
import { SharedStore } from "../support/control/shared-store.ts";
import { createMovingClock } from "../support/moving-clock.ts";

const RECORD: GenerationRecord = { id: "g", owner: "alice", model: "pip", startedAt: 0, holder: "one" };
const DONE = finish().signal;
const LOST = cancelledSignal("somebody else");

/** A generation that is recorded in a store by way of a link, and what its recorder has said. */
class Scene {
  readonly clock = createMovingClock();
  readonly shared = new SharedStore(this.clock);
  readonly link: Link;
  readonly events: GenerationEvent[] = [];
  readonly released: number[] = [];
  readonly endings: TerminationSignal[] = [];
  readonly failures: unknown[] = [];
  /** How many events there were in each call of append. */
  readonly batches: number[] = [];
  readonly recorder: Recorder;

  constructor(
    lagMilliseconds = 0,
    state: LinkState = "up",
    change: (store: EventRecords) => Partial<EventRecords> = () => ({}),
  ) {
    this.link = new Link(this.shared, this.clock, { call: () => lagMilliseconds, notice: () => 0 });
    this.link.set(state);
    const { store } = this.link;
    const append: EventRecords["append"] = (id, offset, events) => {
      this.batches.push(events.length);
      return store.append(id, offset, events);
    };
    this.recorder = new Recorder({
      store: { ...store, append, ...change(store) },
      record: RECORD,
      clock: this.clock,
      events: () => this.events,
      onRelease: (events) => this.released.push(events),
      onEnded: (signal) => this.endings.push(signal),
      onFailure: (error) => this.failures.push(error),
    });
  }

  write(count = 1): void {
    for (let index = 0; index < count; index += 1) {
      this.events.push(text(`${this.events.length} `));
      this.recorder.advance();
    }
  }

  pass(milliseconds = 0): Promise<void> {
    return this.clock.advance(milliseconds);
  }

  stored(): Promise<readonly GenerationEvent[]> {
    return this.shared.data.read("g", 0);
  }

  /** Ends it, and gives how that has settled after a while; undefined if it has not. */
  async finish(milliseconds = 0): Promise<RecordedEnding | undefined> {
    let ending: RecordedEnding | undefined;
    void this.recorder.finish(DONE).then((settled) => (ending = settled));
    await this.pass(milliseconds);
    return ending;
  }

  all(signal = DONE): readonly GenerationEvent[] {
    return [...this.events, { type: "finish", signal }];
  }
}

const AWAY: readonly LinkState[] = ["failing", "deaf", "silent"];

describe("a recorder", () => {
  it("tells the store of the generation before it has an event", async () => {
    const scene = new Scene();
    await scene.pass();
    expect(await scene.shared.data.live()).toEqual([RECORD]);
  });

  it("releases an event when it is recorded, and not before", async () => {
    const scene = new Scene(10);
    scene.write();
    // There and back for the opening, and there for the event.
    await scene.pass(30);
    expect([(await scene.stored()).length, scene.released]).toEqual([1, []]);
    await scene.pass(10);
    expect(scene.released).toEqual([1]);
  });

  it("records together what comes while a write is under way", async () => {
    const scene = new Scene(10);
    await scene.pass(20);
    scene.write();
    await scene.pass(5);
    scene.write(7);
    await scene.pass(35);
    expect(scene.batches).toEqual([1, 7]);
    expect(scene.released).toEqual([1, 8]);
    expect(await scene.stored()).toEqual(scene.events);
  });

  it("writes the finish after everything else, and gives it back", async () => {
    const scene = new Scene(10);
    scene.write(3);
    expect(await scene.finish(60)).toEqual({ signal: DONE, events: 3 });
    expect(await scene.stored()).toEqual(scene.all());
    expect([scene.endings, scene.failures]).toEqual([[], []]);
  });

  it("ends a generation that has no events", async () => {
    const scene = new Scene();
    expect(await scene.finish()).toEqual({ signal: DONE, events: 0 });
    expect(await scene.stored()).toEqual(scene.all());
  });

  it("keeps to the first finish it is given", async () => {
    const scene = new Scene(10);
    const endings = [scene.recorder.finish(DONE), scene.recorder.finish(LOST)];
    await scene.pass(100);
    endings.push(scene.recorder.finish(LOST));
    expect((await Promise.all(endings)).map(({ signal }) => signal)).toEqual([DONE, DONE, DONE]);
  });

  describe.each(AWAY)("with a store that is %s", (state) => {
    it("goes on, and records everything once and in order when the store is back", async () => {
      const scene = new Scene();
      scene.write(2);
      await scene.pass();
      scene.link.set(state);
      scene.write(3);
      await scene.pass(500);
      expect(scene.released.at(-1)).toBe(5);
      // From here on nobody waits for it.
      scene.write();
      expect(scene.released.at(-1)).toBe(6);
      await scene.pass(5_000);
      scene.link.set("up");
      await scene.pass(500);
      scene.write();
      await scene.pass();
      expect(await scene.finish()).toEqual({ signal: DONE, events: 7 });
      expect(await scene.stored()).toEqual(scene.all());
      expect(scene.released).toEqual([...new Set(scene.released)].sort((a, b) => a - b));
    });

    it("releases only what is recorded once the store is back", async () => {
      const scene = new Scene(10, state);
      scene.write();
      await scene.pass(2_000);
      scene.link.set("up");
      await scene.pass(1_000);
      scene.write();
      await scene.pass(15);
      expect(scene.released.at(-1)).toBe(1);
      await scene.pass(5);
      expect(scene.released.at(-1)).toBe(2);
    });

    it("finishes all the same, and records that when the store is back", async () => {
      const scene = new Scene(0, state);
      scene.write(2);
      expect(await scene.finish(250)).toEqual({ signal: DONE, events: 2 });
      expect(scene.released.at(-1)).toBe(2);
      await scene.pass(60_000);
      scene.link.set("up");
      await scene.pass(1_000);
      expect(await scene.stored()).toEqual(scene.all());
      expect(scene.clock.timers()).toBe(0);
    });

    it("finishes at once when the store has been away for a while", async () => {
      const scene = new Scene(0, state);
      scene.write();
      await scene.pass(600);
      expect(await scene.finish()).toEqual({ signal: DONE, events: 1 });
    });

    it("asks no more often than twice in a second, however much is written", async () => {
      const scene = new Scene(0, state);
      await scene.pass(1_000);
      const before = scene.link.calls;
      for (let times = 0; times < 100; times += 1) {
        scene.write();
        await scene.pass(100);
      }
      expect(scene.link.calls - before).toBeLessThanOrEqual(20);
      expect(scene.clock.timers()).toBe(1);
    });

    it("gives up ten minutes after the end, and leaves no timer", async () => {
      const scene = new Scene(0, state);
      scene.write();
      await scene.finish();
      await scene.pass(590_000);
      expect(scene.clock.timers()).toBe(1);
      await scene.pass(30_000);
      expect(scene.clock.timers()).toBe(0);
    });

    it("lets go of it at once when it is closed", async () => {
      const scene = new Scene(0, state);
      scene.write();
      await scene.pass(100);
      let ending: RecordedEnding | undefined;
      void scene.recorder.finish(DONE).then((settled) => (ending = settled));
      scene.recorder.close();
      await scene.pass();
      expect(ending).toEqual({ signal: DONE, events: 1 });
      const { calls } = scene.link;
      scene.link.set("up");
      scene.write();
      await scene.pass(10_000);
      expect([scene.link.calls, scene.clock.timers()]).toEqual([calls, 0]);
    });
  });

  it("takes a call for lost that is never answered, makes it again, and hears the first one no more", async () => {
    let answer: (() => void) | undefined;
    let appends = 0;
    const scene = new Scene(0, "up", (store) => ({
      append: (id, offset, events) => {
        appends += 1;
        if (appends > 1) return store.append(id, offset, events);
        return new Promise((resolve) => (answer = () => resolve({ state: "ended", signal: LOST })));
      },
    }));
    scene.write();
    await scene.pass(10_500);
    scene.write();
    await scene.pass(500);
    expect(await scene.stored()).toEqual(scene.events);
    answer?.();
    await scene.pass();
    expect(scene.endings).toEqual([]);
    expect(await scene.finish()).toEqual({ signal: DONE, events: 2 });
  });

  it("tells a store everything again that has forgotten it", async () => {
    const scene = new Scene();
    scene.write(3);
    await scene.pass();
    await scene.shared.forget();
    scene.write();
    await scene.pass();
    expect(await scene.stored()).toEqual(scene.events);
    await scene.shared.forget();
    expect(await scene.finish()).toEqual({ signal: DONE, events: 4 });
    expect(await scene.stored()).toEqual(scene.all());
    expect(scene.failures).toEqual([]);
  });

  it("tells a store the rest again that has forgotten only that", async () => {
    const scene = new Scene();
    scene.write(3);
    await scene.pass();
    await scene.shared.forget();
    await scene.shared.data.open(RECORD);
    await scene.shared.data.append("g", 0, scene.events.slice(0, 2));
    scene.write();
    await scene.pass();
    expect(await scene.stored()).toEqual(scene.events);
    expect(scene.batches).toEqual([3, 1, 2]);
  });

  it("does not ask without end a store that keeps nothing", async () => {
    let calls = 0;
    const append: EventRecords["append"] = async () => {
      calls += 1;
      if (calls > 100) throw new Error("Asked without end");
      return { state: "behind", events: 0 };
    };
    const scene = new Scene(0, "up", () => ({ append }));
    scene.write();
    await scene.pass();
    expect(calls).toBe(2);
    expect([scene.failures.length, scene.released]).toEqual([1, [1]]);
    expect(await scene.finish(10_000)).toEqual({ signal: DONE, events: 1 });
    expect(scene.failures).toHaveLength(21);
  });

  it("tells a store no more than a thousand events in one go", async () => {
    const scene = new Scene(0, "failing");
    scene.write(2_500);
    await scene.pass(1_000);
    scene.batches.length = 0;
    scene.link.set("up");
    await scene.pass(500);
    expect(scene.batches).toEqual([1_000, 1_000, 500]);
    expect(await scene.stored()).toEqual(scene.events);
  });

  it("says so when somebody else has ended it, and shows no more than the store has", async () => {
    const scene = new Scene();
    scene.write(2);
    await scene.pass();
    await scene.shared.data.finish("g", LOST);
    scene.write(3);
    await scene.pass();
    expect([scene.endings, scene.released]).toEqual([[LOST], [2]]);
    scene.write();
    expect(await scene.finish()).toEqual({ signal: LOST, events: 2 });
    expect([scene.endings, scene.released]).toEqual([[LOST], [2]]);
    expect(await scene.stored()).toEqual([...scene.events.slice(0, 2), { type: "finish", signal: LOST }]);
    expect(scene.clock.timers()).toBe(0);
  });

  it("shows what the store has got before somebody else ended it, also if its answer was lost", async () => {
    const scene = new Scene();
    scene.write(2);
    await scene.pass();
    scene.link.set("deaf");
    scene.write();
    await scene.pass();
    await scene.shared.data.finish("g", LOST);
    scene.link.set("up");
    await scene.pass(500);
    expect(await scene.finish()).toEqual({ signal: LOST, events: 3 });
    expect(await scene.stored()).toEqual([...scene.events, { type: "finish", signal: LOST }]);
  });

  it("gives the ending of somebody else who was first at the very end", async () => {
    const scene = new Scene(10);
    scene.write(2);
    await scene.pass(60);
    const ending = scene.recorder.finish(DONE);
    await scene.shared.data.finish("g", LOST);
    await scene.pass(20);
    expect(await ending).toEqual({ signal: LOST, events: 2 });
    expect(scene.endings).toEqual([]);
  });

  it("does not take back what was shown while the store was away and somebody else ended it", async () => {
    const scene = new Scene();
    scene.write(2);
    await scene.pass();
    scene.link.set("failing");
    scene.write(2);
    await scene.pass();
    await scene.shared.data.finish("g", LOST);
    scene.link.set("up");
    await scene.pass(500);
    expect(scene.endings).toEqual([LOST]);
    expect(await scene.finish()).toEqual({ signal: LOST, events: 4 });
  });

  it("may be closed from within what it calls", async () => {
    const scene = new Scene();
    const recorder: Recorder = new Recorder({
      store: scene.link.store,
      record: { ...RECORD, id: "other" },
      clock: scene.clock,
      events: () => [text("a"), text("b")],
      onRelease: () => {
        recorder.close();
        void recorder.finish(DONE);
      },
      onEnded: () => undefined,
    });
    await scene.pass();
    scene.recorder.close();
    expect(await scene.shared.data.find("other")).toMatchObject({ events: 2, signal: undefined });
    expect(scene.clock.timers()).toBe(0);
  });

  it("may be finished from within what it calls", async () => {
    const scene = new Scene();
    const calls: string[] = [];
    const recorder: Recorder = new Recorder({
      store: scene.link.store,
      record: { ...RECORD, id: "other" },
      clock: scene.clock,
      events: () => [text("a")],
      onRelease: () => {
        calls.push("released");
        void recorder.finish(DONE).then(() => calls.push("finished"));
      },
      onEnded: () => calls.push("ended"),
    });
    await scene.pass();
    expect(calls).toEqual(["released", "finished"]);
    expect(await scene.shared.data.find("other")).toMatchObject({ events: 2, signal: DONE });
  });

  it("leaves no timer after the end", async () => {
    const scene = new Scene();
    scene.write(5);
    await scene.finish();
    expect(scene.clock.timers()).toBe(0);
  });

  it("sets few timers, however much is written", async () => {
    const scene = new Scene();
    let timers = 0;
    const clock = {
      now: () => scene.clock.now(),
      after: (milliseconds: number, callback: () => void) => {
        timers += 1;
        return scene.clock.after(milliseconds, callback);
      },
    };
    const events: GenerationEvent[] = [];
    const recorder = new Recorder({
      store: scene.link.store,
      record: { ...RECORD, id: "other" },
      clock,
      events: () => events,
      onRelease: () => undefined,
      onEnded: () => undefined,
    });
    for (let index = 0; index < 1_000; index += 1) {
      events.push(text("x"));
      recorder.advance();
      await scene.pass(1);
    }
    expect(await scene.shared.data.read("other", 0)).toHaveLength(1_000);
    expect(timers).toBeLessThanOrEqual(5);
  });

  it("refuses options that it does not have", () => {
    const options = { onRelaese: () => undefined } as unknown as RecorderOptions;
    expect(() => new Recorder(options)).toThrow(`got "onRelaese"`);
  });
});
