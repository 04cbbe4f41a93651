import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyRetention, createMemoryStore, sizeOf } from "../../src/control/index.ts";
import type { EndedGeneration, Retention } from "../../src/control/index.ts";
import { FullstopError } from "../../src/index.ts";
import type { GenerationEvent } from "../../src/index.ts";
import { finish } from "../../src/testing/index.ts";
import { createMovingClock } from "../support/moving-clock.ts";

const NOW = 1_000;
const DAY = 86_400_000;

/** What is left of generations, given the oldest first. */
async function kept(ended: readonly EndedGeneration[], retention: Retention): Promise<readonly string[]> {
  const left = new Map(ended.map(({ id }) => [id, true]));
  const store = { ended: async () => ended, delete: async (id: string) => left.delete(id) };
  const count = await applyRetention(store, retention);
  expect(count).toBe(ended.length - left.size);
  return [...left.keys()];
}

/** Four that have ended 400, 300, 200 and 100 ms ago, with 10, 20, 30 and 40 bytes. */
const FOUR: readonly EndedGeneration[] = ["a", "b", "c", "d"].map((id, index) => ({
  id,
  endedAt: NOW - 400 + index * 100,
  ageMilliseconds: 400 - index * 100,
  bytes: (index + 1) * 10,
}));

describe("retention", () => {
  it.each<readonly [Retention, string]>([
    [{}, "abcd"],
    [{ maxCount: 4 }, "abcd"],
    [{ maxCount: 2 }, "cd"],
    [{ maxCount: 0 }, ""],
    [{ maxAgeMilliseconds: 400 }, "abcd"],
    [{ maxAgeMilliseconds: 399 }, "bcd"],
    [{ maxAgeMilliseconds: 100 }, "d"],
    [{ maxAgeMilliseconds: 0 }, ""],
    [{ maxBytes: 100 }, "abcd"],
    [{ maxBytes: 99 }, "bcd"],
    [{ maxBytes: 70 }, "cd"],
    [{ maxBytes: 69 }, "d"],
    // The newest does not fit, and what is older than what does not fit is not kept in its place.
    [{ maxBytes: 39 }, ""],
    [{ maxBytes: 0 }, ""],
    [{ maxCount: 3, maxBytes: 70 }, "cd"],
    [{ maxCount: 1, maxBytes: 70, maxAgeMilliseconds: 300 }, "d"],
    [{ maxCount: 4, maxBytes: 100, maxAgeMilliseconds: 250 }, "cd"],
    [{ maxCount: undefined, maxBytes: undefined, maxAgeMilliseconds: undefined }, "abcd"],
  ])("%j keeps %s", async (retention, expected) => {
    expect((await kept(FOUR, retention)).join("")).toBe(expected);
  });

  it.each<readonly [Retention, string]>([
    [{}, "abcd"],
    [{ maxCount: 3 }, "bcd"],
    [{ maxAgeMilliseconds: 1 }, "abcd"],
  ])("of a store that does not tell ages, %j keeps %s", async (retention, expected) => {
    const untold = FOUR.map(({ id, endedAt, bytes }) => ({ id, endedAt, bytes }) as EndedGeneration);
    expect((await kept(untold, retention)).join("")).toBe(expected);
  });

  it("keeps the newest ones that fit, and not one fewer", async () => {
    const generations = fc
      .array(fc.record({ age: fc.nat(50), bytes: fc.nat(20) }), { maxLength: 12 })
      .map((list) =>
        list
          .sort((a, b) => b.age - a.age)
          .map(({ age, bytes }, i) => ({ id: `${i}`, endedAt: NOW - age, ageMilliseconds: age, bytes })),
      );
    const limit = (max: number): fc.Arbitrary<number | undefined> => fc.option(fc.nat(max), { nil: undefined });
    const retentions = fc.record({ maxCount: limit(12), maxAgeMilliseconds: limit(50), maxBytes: limit(150) });
    await fc.assert(
      fc.asyncProperty(generations, retentions, async (ended, retention) => {
        const left = await kept(ended, retention);
        const fits = (list: readonly EndedGeneration[]): boolean =>
          list.length <= (retention.maxCount ?? Infinity) &&
          list.reduce((sum, { bytes }) => sum + bytes, 0) <= (retention.maxBytes ?? Infinity) &&
          list.every(({ ageMilliseconds }) => ageMilliseconds <= (retention.maxAgeMilliseconds ?? Infinity));
        const newest = (count: number): readonly EndedGeneration[] => ended.slice(ended.length - count);
        expect(left).toEqual(newest(left.length).map(({ id }) => id));
        expect(fits(newest(left.length))).toBe(true);
        expect(left.length === ended.length || !fits(newest(left.length + 1))).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it("leaves alone what runs, and what somebody else has deleted", async () => {
    const clock = createMovingClock();
    const store = createMemoryStore({ clock });
    for (const id of ["runs", "over", "gone"]) {
      await store.open({ id, owner: "alice", model: "pip", startedAt: 0, holder: "one" });
    }
    await store.finish("over", finish().signal);
    await store.finish("gone", finish().signal);
    const ended = await store.ended();
    await store.delete("gone");
    const late = { ended: async () => ended, delete: (id: string) => store.delete(id) };
    expect(await applyRetention(late, { maxCount: 0 })).toBe(1);
    expect([await store.live(), await store.ended()].map(({ length }) => length)).toEqual([1, 0]);
  });

  it("judges each by its own age, as one may have ended while a clock was wrong", async () => {
    const clock = createMovingClock();
    let skew = 0;
    const store = createMemoryStore({ clock: { ...clock, now: () => clock.now() + skew } });
    const end = async (id: string): Promise<void> => {
      await store.open({ id, owner: "alice", model: "pip", startedAt: 0, holder: "one" });
      await store.finish(id, finish().signal);
    };
    await end("an hour ago");
    skew = -DAY * 365;
    await end("in another year");
    skew = 0;
    await clock.advance(DAY / 24);
    await end("just now");
    await applyRetention(store, { maxAgeMilliseconds: DAY });
    expect((await store.ended()).map(({ id }) => id)).toEqual(["an hour ago", "just now"]);
  });

  it.each<readonly [unknown, string]>([
    [{ maxCount: -1 }, "maxCount must be a whole number of at least 0, got -1"],
    [{ maxCount: 1.5 }, "got 1.5"],
    [{ maxBytes: Number.NaN }, "maxBytes must be a number of at least 0, got NaN"],
    [{ maxAgeMilliseconds: "5" }, `maxAgeMilliseconds must be a number of at least 0, got "5"`],
    [{ maxAge: 5 }, `got "maxAge"`],
  ])("refuses %j", async (retention, message) => {
    const attempt = applyRetention(createMemoryStore(), retention as Retention);
    await expect(attempt).rejects.toThrow(FullstopError);
    await expect(attempt).rejects.toThrow(message);
  });
});

describe("the size of events", () => {
  it.each<readonly [string, GenerationEvent]>([
    ["text", { type: "text", text: "x".repeat(10_000) }],
    ["thinking", { type: "reasoning", text: "x".repeat(10_000) }],
    ["a proof", { type: "reasoning", text: "", signature: "x".repeat(10_000) }],
    ["arguments", { type: "tool-call-delta", callId: "c", json: "x".repeat(10_000) }],
    ["a provider's own", { type: "opaque", format: "gemini", value: { data: "x".repeat(10_000) } }],
  ])("counts what is in them: %s", (_, event) => {
    const size = sizeOf([event, { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } }]);
    expect(size).toBeGreaterThan(20_000);
    expect(size).toBeLessThan(20_500);
  });
});
