import { describe, expect, it } from "vitest";
import { judgeRatio, judgeTime, ratioOf } from "../verdicts.mjs";

/** A ratio that strays no further than its two values. */
function ratio(median: number, best: number) {
  return { median, best, low: best, high: median };
}

describe("a promise about a ratio", () => {
  it.each([
    { limit: { atMost: 1.5 }, median: 1.4, best: 1.5, outcome: "met" },
    { limit: { atMost: 1.5 }, median: 1.6, best: 1.4, outcome: "missed" },
    { limit: { atMost: 1.5 }, median: 1.4, best: 1.6, outcome: "missed" },
    { limit: { atLeast: 3 }, median: 3, best: 4, outcome: "met" },
    { limit: { atLeast: 3 }, median: 4, best: 2.9, outcome: "missed" },
  ])("of $limit with $median and $best at best is $outcome", ({ limit, median, best, outcome }) => {
    expect(judgeRatio("it", ratio(median, best), limit).outcome).toBe(outcome);
  });

  it("says why it is missed, and nothing where it is met", () => {
    expect(judgeRatio("it", ratio(2, 2), { atMost: 1 }, "it is hard")).toHaveProperty("why", "it is hard");
    expect(judgeRatio("it", ratio(1, 1), { atMost: 1 }, "it is hard")).not.toHaveProperty("why");
  });

  it("blames the machine only where medians and best samples disagree, or rounds, and nothing else is known", () => {
    expect(judgeRatio("it", ratio(2, 1), { atMost: 1 }, "it is hard").why).toContain("busy");
    expect(judgeRatio("it", ratio(2, 2), { atMost: 1 })).not.toHaveProperty("why");
    expect(judgeRatio("it", { ...ratio(2, 2), low: 0.9 }, { atMost: 1 }).why).toContain("some rounds");
    expect(judgeRatio("it", { ...ratio(2, 2), low: 0.9 }, { atMost: 1 }, "it is hard").why).toBe("it is hard");
  });

  it("without figures is not measured", () => {
    expect(judgeRatio("it", ratioOf({ samples: [1] }, { samples: [] }), { atMost: 1 }).outcome).toBe("not measured");
  });
});

describe("a promise about a time", () => {
  it.each([
    { samples: [4, 5, 6], outcome: "met", why: undefined },
    { samples: [4, 6, 7], outcome: "missed", why: "the best sample keeps to it: the machine was busy" },
    { samples: [6, 6, 7], outcome: "missed", why: undefined },
  ])("of 5 ns with $samples is $outcome", ({ samples, outcome, why }) => {
    const verdict = judgeTime("it", { samples }, 5);
    expect([verdict.outcome, verdict.why]).toEqual([outcome, why]);
  });
});

describe("a ratio", () => {
  it("is taken of the best, of the medians, and within each round", () => {
    const found = ratioOf({ samples: [10, 20, 30] }, { samples: [10, 10, 10] });
    expect(found).toEqual({ best: 1, median: 2, low: 1.2, high: 2.8 });
  });
});
