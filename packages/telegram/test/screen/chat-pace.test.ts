import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMovingClock } from "../../../fullstop/test/support/moving-clock.ts";
import type { MovingClock } from "../../../fullstop/test/support/moving-clock.ts";
import { ChatPace, ChatPaces } from "../../src/screen/chat-pace.ts";
import type { Turn } from "../../src/screen/chat-pace.ts";

interface Queue {
  readonly clock: MovingClock;
  readonly pace: ChatPace;
  /** Who came to their turn and when, as `name@milliseconds`. */
  readonly granted: readonly string[];
  readonly join: (name: string, kind?: "usual" | "urgent") => Turn;
}

function openQueue(interval = 1_000): Queue {
  const clock = createMovingClock();
  const pace = new ChatPace(clock, interval);
  const granted: string[] = [];
  return {
    clock,
    pace,
    granted,
    join(name, kind = "usual") {
      const turn = pace.turn(kind);
      void turn.granted.then(() => granted.push(`${name}@${clock.now()}`));
      return turn;
    },
  };
}

describe("calls about one chat", () => {
  test("the first is made at once, the others an interval apart, in their order", async () => {
    const { clock, granted, join } = openQueue();
    for (const name of ["a", "b", "c"]) join(name);
    await clock.advance(5_000);
    expect(granted).toEqual(["a@0", "b@1000", "c@2000"]);
  });

  test("a call that takes its time is followed by none for an interval after it is over", async () => {
    const { clock, pace, granted, join } = openQueue();
    join("a");
    join("b");
    await clock.advance(400);
    pace.called();
    await clock.advance(5_000);
    expect(granted).toEqual(["a@0", "b@1400"]);
  });

  test("after a time without calls the next is made at once", async () => {
    const { clock, granted, join } = openQueue();
    join("a");
    await clock.advance(5_000);
    join("b");
    await clock.advance(0);
    expect(granted).toEqual(["a@0", "b@5000"]);
  });

  test("an urgent one goes before all that wait, without waiting for the interval", async () => {
    const { clock, granted, join } = openQueue();
    for (const name of ["a", "b", "c"]) join(name);
    await clock.advance(100);
    join("now", "urgent");
    await clock.advance(5_000);
    expect(granted).toEqual(["a@0", "now@100", "b@1100", "c@2100"]);
  });

  test("two urgent ones are made at once, and more of them keep the interval", async () => {
    const { clock, granted, join } = openQueue();
    join("a");
    await clock.advance(100);
    for (const name of ["x", "y", "z"]) join(name, "urgent");
    join("b");
    await clock.advance(5_000);
    expect(granted).toEqual(["a@0", "x@100", "y@100", "z@1100", "b@2100"]);
  });

  test("one that waits can become urgent, once", async () => {
    const { clock, granted, join } = openQueue();
    join("a");
    join("b");
    const turn = join("c");
    await clock.advance(100);
    turn.hurry();
    turn.hurry();
    await clock.advance(5_000);
    turn.hurry();
    await clock.advance(5_000);
    expect(granted).toEqual(["a@0", "c@100", "b@1100"]);
  });

  test("answers that queue again after each call take turns", async () => {
    const { clock, granted, pace } = openQueue();
    const names: string[] = [];
    const write = async (name: string): Promise<void> => {
      for (let count = 0; count < 3; count += 1) {
        await pace.turn("usual").granted;
        names.push(name);
      }
    };
    const all = Promise.all([write("a"), write("b"), write("c")]);
    await clock.advance(20_000);
    await all;
    expect(names.join("")).toBe("abcabcabc");
    expect(granted).toEqual([]);
  });
});

describe("a pause that Telegram asks for", () => {
  test("holds everybody up, also what is urgent and what waits already", async () => {
    const { clock, pace, granted, join } = openQueue();
    join("a");
    join("b");
    await clock.advance(500);
    pace.pause(7_000, "failure");
    join("now", "urgent");
    expect(pace.isPaused).toBe(true);
    await clock.advance(6_999);
    expect(granted).toEqual(["a@0"]);
    await clock.advance(10_000);
    expect(granted).toEqual(["a@0", "now@7500", "b@8500"]);
    expect(pace.isPaused).toBe(false);
  });

  test("is not shortened by a shorter one", async () => {
    const { clock, pace, granted, join } = openQueue();
    pace.pause(7_000, "failure");
    pace.pause(1_000, "failure");
    join("a");
    await clock.advance(20_000);
    expect(granted).toEqual(["a@7000"]);
  });

  test("makes the next ten calls twice as slow after a flood", async () => {
    const { clock, pace, granted, join } = openQueue();
    pace.pause(3_000, "flood");
    for (let call = 0; call < 13; call += 1) join(String(call));
    await clock.advance(60_000);
    const times = granted.map((entry) => Number(entry.split("@")[1]));
    const gaps = times.slice(1).map((time, index) => time - times[index]!);
    expect(times[0]).toBe(3_000);
    expect(gaps).toEqual([...Array.from({ length: 10 }, () => 2_000), 1_000, 1_000]);
  });
});

test("a timer that goes off too early is set again", async () => {
  const clock = createMovingClock();
  let isEarly = true;
  const hasty = {
    now: () => clock.now(),
    after(milliseconds: number, callback: () => void) {
      const early = isEarly && milliseconds > 1 ? 1 : 0;
      isEarly = false;
      return clock.after(milliseconds - early, callback);
    },
  };
  const pace = new ChatPace(hasty, 1_000);
  pace.pause(5_000, "flood");
  let at: number | undefined;
  void pace.turn("urgent").granted.then(() => (at = clock.now()));
  await clock.advance(6_000);
  expect(at).toBe(5_000);
});

test("whatever is asked for and when, no call is made in a pause, and at most three in an interval", async () => {
  const action = fc.oneof(
    fc.record({ type: fc.constantFrom("usual", "urgent", "hurried") }),
    fc.record({ type: fc.constant("pause" as const), milliseconds: fc.integer({ min: 1, max: 5_000 }) }),
    fc.record({ type: fc.constant("wait" as const), milliseconds: fc.integer({ min: 1, max: 3_000 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
      const { clock, pace, granted, join } = openQueue();
      const pauses: (readonly [number, number])[] = [];
      let joined = 0;
      for (const step of actions) {
        if (step.type === "wait") await clock.advance(step.milliseconds);
        else if (step.type === "pause") {
          await clock.advance(0);
          pauses.push([clock.now(), clock.now() + step.milliseconds]);
          pace.pause(step.milliseconds, "failure");
        } else {
          joined += 1;
          const turn = join("x", step.type === "urgent" ? "urgent" : "usual");
          if (step.type === "hurried") turn.hurry();
        }
      }
      await clock.advance(100_000);
      const times = granted.map((entry) => Number(entry.split("@")[1]));
      expect(times).toHaveLength(joined);
      for (const time of times) {
        expect(pauses.some(([from, to]) => from < time && time < to)).toBe(false);
        expect(times.filter((other) => other >= time && other < time + 1_000).length).toBeLessThanOrEqual(3);
      }
    }),
    { numRuns: 50 },
  );
});

describe("the paces of all chats", () => {
  const settings = { privateMilliseconds: 1_100, groupMilliseconds: 3_000 };

  test("a chat keeps its pace while it matters, and chats do not wait for each other", async () => {
    const clock = createMovingClock();
    const paces = new ChatPaces(clock, settings);
    const times: string[] = [];
    const call = (chat: number, kind: "private" | "group"): void => {
      const turn = paces.of(chat, kind).turn("usual");
      void turn.granted.then(() => times.push(`${chat}@${clock.now()}`));
    };
    for (let count = 0; count < 2; count += 1) {
      call(1, "private");
      call(-2, "group");
    }
    await clock.advance(10_000);
    expect(times).toEqual(["1@0", "-2@0", "1@1100", "-2@3000"]);
  });

  test("one is kept while a call is under way, however long that takes, so that the next one waits after it", async () => {
    const clock = createMovingClock();
    const paces = new ChatPaces(clock, settings);
    const pace = paces.of(1, "private");
    pace.turn("usual");
    await clock.advance(30_000);
    paces.of(2, "private");
    expect(paces.of(1, "private")).toBe(pace);
    pace.called();
    let grantedAt: number | undefined;
    void paces
      .of(1, "private")
      .turn("usual")
      .granted.then(() => (grantedAt = clock.now()));
    await clock.advance(5_000);
    expect(grantedAt).toBe(31_100);
    pace.called();
    await clock.advance(5_000);
    paces.of(3, "private");
    expect(paces.of(1, "private")).not.toBe(pace);
  });

  test("one that is forgotten too early would forget a pause", async () => {
    const clock = createMovingClock();
    const paces = new ChatPaces(clock, settings);
    const pace = paces.of(1, "private");
    pace.pause(60_000, "flood");
    await clock.advance(59_999);
    paces.of(2, "private");
    expect(paces.of(1, "private")).toBe(pace);
    // It stays careful for a while, and is forgotten at last, also if nobody ever called again.
    await clock.advance(60_002);
    paces.of(3, "private");
    expect(paces.of(1, "private")).not.toBe(pace);
  });
});
