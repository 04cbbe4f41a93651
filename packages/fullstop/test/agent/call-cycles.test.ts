import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCallWatch, judgeCalls } from "../../src/agent/call-cycles.ts";
import type { CallVerdict, CallWatchOptions, WatchedCall } from "../../src/agent/call-cycles.ts";
import { same } from "../support/same.ts";

/** Calls by letters: the tool, and after a slash its result where that matters. */
function calls(letters: string): readonly WatchedCall[] {
  return letters.split(" ").map((word) => {
    const [name = "", result = "same"] = word.split("/");
    return { name, json: "{}", result };
  });
}

function verdicts(letters: string, options?: CallWatchOptions): readonly CallVerdict[] {
  const watch = createCallWatch(options);
  return calls(letters).map((one) => watch.add(one));
}

const fine = (count: number): readonly CallVerdict[] => Array.from({ length: count }, () => "fine" as const);

describe("a watch on tool calls", () => {
  it.each([
    { what: "one call", letters: "a a a a a a", expected: [...fine(2), "nudge", "fine", "halt", "halt"] },
    {
      what: "a cycle of two",
      letters: "a b a b a b a b a b a",
      expected: [...fine(5), "nudge", ...fine(3), "halt", "halt"],
    },
    { what: "a cycle of three", letters: "a b c a b c a b c", expected: [...fine(8), "nudge"] },
    {
      what: "a cycle of five",
      letters: "a a b c d a a b c d a a b c d",
      expected: [...fine(14), "nudge"],
    },
    { what: "no cycle of six", letters: "a b c d e f ".repeat(6).trim(), expected: fine(36) },
    { what: "a cycle after other calls", letters: "x y a b a b a b", expected: [...fine(7), "nudge"] },
  ])("notices $what", ({ letters, expected }) => {
    expect(verdicts(letters)).toEqual(expected);
  });

  it("takes a result that changes for progress", () => {
    expect(verdicts("a/1 a/2 a/3 a/4 a/5 a/6")).toEqual(fine(6));
    expect(verdicts("a/1 b a/2 b a/3 b a/4 b")).toEqual(fine(8));
  });

  it("counts anew after a result has changed", () => {
    expect(verdicts("a/1 a/1 a/2 a/2 a/2")).toEqual([...fine(4), "nudge"]);
  });

  it("counts anew after another call, and stops saying halt", () => {
    expect(verdicts("a a a a a a b a a a")).toEqual([...fine(2), "nudge", "fine", "halt", "halt", ...fine(3), "nudge"]);
  });

  it("compares arguments by their meaning", () => {
    const watch = createCallWatch();
    const texts = ['{"a":1,"b":{"c":2,"d":3}}', '{ "b": {"d":3, "c":2}, "a": 1 }', '{"b":{"c":2,"d":3},"a":1.0}'];
    expect(texts.map((json) => watch.add({ name: "read", json, result: "" }))).toEqual(["fine", "fine", "nudge"]);
    expect(watch.add({ name: "read", json: '{"a":1,"b":{"c":2,"d":4}}', result: "" })).toBe("fine");
    expect(watch.cycle).toEqual([]);
  });

  it("tells which calls make up the cycle, and how many times they came", () => {
    const watch = createCallWatch();
    const answers = calls("x a b a b a b").map((one) => [watch.add(one), watch.cycle.length, watch.repetitions]);
    expect(answers.at(-2)).toEqual(["fine", 0, 0]);
    expect(answers.at(-1)).toEqual(["nudge", 2, 3]);
    expect(watch.cycle).toEqual([
      { name: "a", json: "{}" },
      { name: "b", json: "{}" },
    ]);
  });

  it("tells the shortest cycle where the same calls make up longer ones too", () => {
    const judgement = judgeCalls(calls("a a a a a a"), { nudge: 2, halt: 9 });
    expect(judgement).toEqual({ verdict: "fine", cycle: [{ name: "a", json: "{}" }], repetitions: 6 });
  });

  it("has thresholds of the caller's own", () => {
    const options = { nudge: 2, halt: 3, maxCycle: 1 };
    expect(verdicts("a a a b a b a b", options)).toEqual(["fine", "nudge", "halt", ...fine(5)]);
    expect(verdicts("a a a", { nudge: 3, halt: 3 })).toEqual(["fine", "fine", "halt"]);
  });

  it.each([
    { options: { nudge: 1 }, error: "nudge must be a whole number of at least 2, got 1" },
    { options: { nudge: 4, halt: 3 }, error: "halt must not be smaller than nudge, which is 4, got 3" },
    { options: { maxCycle: 0 }, error: "maxCycle must be a whole number of at least 1, got 0" },
    { options: { limit: 3 }, error: "call watch has no such option" },
  ])("refuses $options", ({ options, error }) => {
    expect(() => createCallWatch(options as CallWatchOptions)).toThrow(error);
  });

  const anyOptions = fc
    .record({ nudge: fc.integer({ min: 2, max: 4 }), more: fc.nat(2), maxCycle: fc.integer({ min: 1, max: 5 }) })
    .map(({ nudge, more, maxCycle }) => ({ nudge, halt: nudge + more, maxCycle }));
  const anyWord = fc.constantFrom("a", "b", "c", "a/1");
  /** Cycles that follow each other, since calls drawn one by one would hardly ever repeat. */
  const anyCalls = fc
    .array(fc.tuple(fc.array(anyWord, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 7 })), {
      minLength: 1,
      maxLength: 4,
    })
    .map((cycles) =>
      calls(
        cycles
          .flatMap(([cycle, times]) => Array(times).fill(cycle) as string[][])
          .flat()
          .join(" "),
      ),
    );

  it("agrees with the plain definition, and forgets nothing that matters", () => {
    fc.assert(
      fc.property(anyCalls, anyOptions, (list, options) => {
        const watch = createCallWatch(options);
        for (const [index, one] of list.entries()) {
          const history = list.slice(0, index + 1);
          const verdict = watch.add(one);
          same(verdict, plainVerdict(history, options));
          // The watch has seen the beginning but does not keep it, so it may count a cycle short of its true number.
          const judgement = judgeCalls(history, options);
          same([verdict, watch.cycle], [judgement.verdict, judgement.cycle]);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** The verdict by definition: the same few calls stand at the end so many times in a row. */
function plainVerdict(history: readonly WatchedCall[], options: Required<CallWatchOptions>): CallVerdict {
  const most = mostRepetitions(history, options);
  if (most >= Number(options.halt)) return "halt";
  const isNew = mostRepetitions(history.slice(0, -1), options) < Number(options.nudge);
  return most >= Number(options.nudge) && isNew ? "nudge" : "fine";
}

function mostRepetitions(history: readonly WatchedCall[], { maxCycle }: CallWatchOptions): number {
  const words = history.map(({ name, result }) => `${name}/${result}`);
  let most = 0;
  for (let length = 1; length <= Number(maxCycle); length++) {
    for (let times = 1; length * times <= words.length; times++) {
      const end = words.slice(-length * times).join(" ");
      const block = words.slice(-length).join(" ");
      if (end === Array<string>(times).fill(block).join(" ")) most = Math.max(most, times);
    }
  }
  return most;
}
