import fc from "fast-check";
import { finish, reasoning, start, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { Answer, textOf } from "../src/answer/fold.ts";
import type { PastGeneration } from "../src/api/generations.ts";
import { readStopString, showStopString } from "../src/components/stop-string.ts";
import { countInBuckets, stack } from "../src/pages/history/buckets.ts";
import { visibleRows } from "../src/pages/live/visible-rows.ts";

describe("the blocks of an answer", () => {
  it("are its text when they are joined, and none of them is long, however the pieces are cut", () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constant("\n"),
      fc.constant("🙂".repeat(900)),
      fc.constant("no line break here ".repeat(300)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const answer = new Answer();
        for (const each of pieces) answer.add(text(each));
        expect(answer.text).toBe(pieces.join(""));
        const [part] = answer.parts;
        if (part === undefined || part.type === "tool-call") return;
        expect(part.blocks.every((block) => block.length <= 8000 + 5700)).toBe(true);
        // Half a character at an edge would be shown as a box.
        expect(part.blocks.every((block) => !/^[\uDC00-\uDFFF]/.test(block))).toBe(true);
      }),
    );
  });

  it("begin anew where thinking was skipped and goes on nevertheless", () => {
    const answer = new Answer();
    answer.add(reasoning("a"));
    answer.add({ type: "reasoning", text: "", skipped: true });
    expect(answer.phase).toBe("waiting");
    answer.add(reasoning("b"));
    expect(answer.parts.map(textOf)).toEqual(["a", "b"]);
    expect(answer.phase).toBe("thinking");
  });

  it("are apart for thinking and text", () => {
    const answer = new Answer();
    for (const event of [start(), reasoning("a"), reasoning("b"), text("c"), reasoning("d"), finish()])
      answer.add(event);
    expect(answer.parts.map((part) => [part.type, textOf(part)])).toEqual([
      ["reasoning", "ab"],
      ["text", "c"],
      ["reasoning", "d"],
    ]);
    expect(answer.phase).toBe("ended");
    expect(answer.offset).toBe(6);
  });
});

describe("a stop string", () => {
  it.each([
    [String.raw`\n\n`, "\n\n"],
    [String.raw`a\tb`, "a\tb"],
    [String.raw`C:\\new`, String.raw`C:\new`],
    [String.raw`\d+`, String.raw`\d+`],
    ["</answer>", "</answer>"],
  ])("that is written as %s is meant as %j", (written, meant) => {
    expect(readStopString(written)).toBe(meant);
  });

  it("is the same after it was shown and read again", () => {
    const sign = fc.oneof(fc.constantFrom("\n", "\r", "\t", "\\", "n", "r", "t"), fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(sign), (signs) => {
        const meant = signs.join("");
        expect(readStopString(showStopString(meant))).toBe(meant);
        expect(showStopString(meant)).not.toMatch(/[\n\r\t]/u);
      }),
    );
  });
});

describe("the rows that are rendered", () => {
  it.each([
    { top: 0, count: 0, first: 0, end: 0 },
    { top: 0, count: 5, first: 0, end: 5 },
    { top: 0, count: 1000, first: 0, end: 18 },
    { top: 5000, count: 1000, first: 42, end: 68 },
    { top: 99_500, count: 1000, first: 987, end: 1000 },
    // Rows have ended while somebody looked at the last ones.
    { top: 99_500, count: 3, first: 0, end: 3 },
  ])("are $first to $end at $top of $count", ({ top, count, first, end }) => {
    const rows = visibleRows(top, 1000, 100, count);
    expect(rows).toMatchObject({ first, end });
    expect(rows.before + (end - first) * 100 + rows.after).toBe(count * 100);
  });
});

describe("endings in buckets", () => {
  const past = (seconds: number, model: string): PastGeneration => ({
    id: `${seconds}-${model}`,
    owner: "alice",
    model,
    replica: "one",
    startedAt: new Date(0).toISOString(),
    endedAt: new Date(seconds * 1000).toISOString(),
    events: 2,
    bytes: 100,
    signal: {
      shouldTerminate: true,
      reason: "natural_completion",
      confidence: "high",
      providerSpecific: { originalField: "", originalValue: "" },
    },
    usage: null,
  });

  it("lose none, whatever the times", () => {
    const some = fc.array(fc.tuple(fc.integer({ min: 0, max: 4_000_000_000 }), fc.constantFrom(..."abcdefghij")));
    fc.assert(
      fc.property(some, (ends) => {
        const generations = ends.map(([seconds, model]) => past(seconds, model));
        const { times, kinds } = countInBuckets(generations, ({ model }) => model);
        expect(kinds.reduce((sum, { total }) => sum + total, 0)).toBe(generations.length);
        expect(kinds.every(({ counts }) => counts.length === times.length)).toBe(true);
        expect(kinds.length).toBeLessThanOrEqual(8);
      }),
      { numRuns: 200 },
    );
  });

  it("stand on top of each other", () => {
    const generations = [past(100, "a"), past(100, "a"), past(100, "b"), past(101, "b"), past(101, "a")];
    const { kinds, length } = countInBuckets(generations, ({ model }) => model);
    expect(length).toBe(1);
    expect(kinds.map(({ name, total }) => [name, total])).toEqual([
      ["a", 3],
      ["b", 2],
    ]);
    expect(stack(kinds).map((row) => row.slice(-2))).toEqual([
      [2, 1],
      [3, 2],
    ]);
  });
});
