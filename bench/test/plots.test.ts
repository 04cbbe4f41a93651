import { describe, expect, it } from "vitest";
import { drawBars } from "../pages/bar-plot.mjs";
import { drawLines } from "../pages/line-plot.mjs";

/** The attributes of all elements of a kind. */
function elementsOf(svg: string, name: string): readonly Readonly<Record<string, string>>[] {
  return [...svg.matchAll(new RegExp(`<${name} ([^>]*?)/?>`, "gu"))].map(([, attributes = ""]) =>
    Object.fromEntries(
      [...attributes.matchAll(/([\w-]+)="([^"]*)"/gu)].map(([, key = "", value = ""]) => [key, value]),
    ),
  );
}

/** What a drawing says, in the order in which it says it. */
function textsOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/gu)].map(([, text = ""]) => text);
}

describe("a drawing of lines", () => {
  const svg = drawLines({
    title: "Time <of> a token",
    x: "stop strings",
    y: "nanoseconds",
    lines: [
      {
        label: "ours",
        points: [
          [1, 50],
          [10, 50],
          [100, 50],
        ],
        isOwn: true,
      },
      {
        label: "others",
        points: [
          [1, 100],
          [10, 1000],
          [100, 10_000],
        ],
      },
      { label: "unseen", points: [[1, 0]] },
    ],
  });
  const [ours = "", others = ""] = elementsOf(svg, "polyline").map(({ points = "" }) => points);
  const heightsOf = (points: string) => points.split(" ").map((point) => Number(point.split(",")[1]));

  it("says what it shows, and what its axes show", () => {
    expect(textsOf(svg)).toEqual(expect.arrayContaining(["Time &lt;of&gt; a token", "stop strings", "nanoseconds"]));
    expect(svg).toContain("<title>Time &lt;of&gt; a token</title>");
  });

  it("names each line", () => {
    expect(textsOf(svg)).toEqual(expect.arrayContaining(["ours", "others"]));
  });

  it("shows what stays the same as level, and what grows as a straight rise", () => {
    expect(new Set(heightsOf(ours)).size).toBe(1);
    const [first = 0, second = 0, third = 0] = heightsOf(others);
    expect(first - second).toBeGreaterThan(0);
    expect(second - third).toBeCloseTo(first - second, 0);
  });

  it("leaves out what was too little to be measured", () => {
    expect(textsOf(svg)).not.toContain("unseen");
  });

  it("can be read in the dark", () => {
    expect(svg).toContain("prefers-color-scheme: dark");
  });
});

describe("a drawing of bars", () => {
  const svg = drawBars({
    title: "Chunks",
    unit: "microseconds",
    bars: [
      { label: "ours", value: 50, low: 40, high: 60, isOwn: true },
      { label: "others", value: 100, low: 90, high: 200 },
    ],
  });

  it("has bars as long as their values", () => {
    const [ours = 0, others = 0] = elementsOf(svg, "rect").map(({ width }) => Number(width));
    expect(others / ours).toBeCloseTo(2, 1);
  });

  it("says each value beside its bar", () => {
    expect(textsOf(svg)).toEqual(expect.arrayContaining(["ours", "50.0", "others", "100", "microseconds"]));
  });
});
