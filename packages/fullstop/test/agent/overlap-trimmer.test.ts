import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineOverlapTrimmer } from "../../src/agent/overlap-trimmer.ts";
import { findOverlap } from "../../src/agent/overlap.ts";
import type { GenerationEvent } from "../../src/index.ts";
import { truncatedSignal } from "../../src/index.ts";
import { cutAt, everyCut } from "../support/cuts.ts";
import { pushThrough, textOf } from "../support/events.ts";
import { callEnd, callStart, reasoning, start, text, usage } from "../support/official.ts";
import { same } from "../support/same.ts";

const finish: GenerationEvent = { type: "finish", signal: truncatedSignal() };
const counts = usage({ inputTokens: 1, outputTokens: 2 });

/** What has left after each event. */
function watch(before: string, events: readonly GenerationEvent[]): readonly string[] {
  const out: GenerationEvent[] = [];
  const sink = defineOverlapTrimmer(before)({ push: (event) => void out.push(event), end: () => undefined });
  return events.map((event) => {
    sink.push(event);
    return textOf(out);
  });
}

describe("a trimmer of overlaps", () => {
  it("drops what is repeated in every way to cut it", () => {
    const before = "…48, 49, 50,";
    for (const pieces of everyCut("49, 50, 51, 52")) {
      const out = pushThrough(defineOverlapTrimmer(before), pieces.map(text));
      same(textOf(out), " 51, 52");
    }
  });

  it.each([
    { rest: "49, 50, 51", told: [7] },
    { rest: "49, 50,", told: [7] },
    { rest: " 51, 52", told: [] },
    { rest: "", told: [] },
  ])("tells of a repetition in $rest: $told", ({ rest, told }) => {
    const lengths: number[] = [];
    const trimmer = defineOverlapTrimmer("…48, 49, 50,", { onOverlap: (length) => void lengths.push(length) });
    pushThrough(trimmer, [text(rest), finish]);
    expect(lengths).toEqual(told);
  });

  it("lets a continuation pass that repeats nothing", () => {
    const events = [start, text(" 51"), text(", 52"), counts, finish];
    expect(pushThrough(defineOverlapTrimmer("…48, 49, 50,"), events)).toEqual(events);
  });

  it("holds text only while it can be a repetition, and lets the rest go at once", () => {
    expect(watch("one two three", ["tw", "o thr", "ee four", " five"].map(text))).toEqual([
      "",
      "",
      " four",
      " four five",
    ]);
    expect(watch("one two three", ["tw", "o thi", "s"].map(text))).toEqual(["", "two thi", "two this"]);
  });

  it("does not hold what is too near to the end to be a repetition", () => {
    expect(watch("one two three", [text("ree")])).toEqual(["ree"]);
  });

  it("counts the places of citations from the beginning of the whole", () => {
    const cited = (begin: number, end: number): GenerationEvent => ({
      type: "citation",
      start: begin,
      end,
      format: "test",
    });
    const unplaced: GenerationEvent = { type: "citation", url: "https://example.org", format: "test" };
    const repeated = [text("two th"), cited(0, 6), text("ree four"), cited(10, 14), unplaced];
    expect(pushThrough(defineOverlapTrimmer("one two three"), repeated)).toEqual([
      cited(4, 10),
      text(" four"),
      cited(14, 18),
      unplaced,
    ]);
    expect(pushThrough(defineOverlapTrimmer("one two three"), [text(" four"), cited(1, 5)])).toEqual([
      text(" four"),
      cited(14, 18),
    ]);
  });

  it.each([
    { what: "a tool call", event: callStart("1", "read") },
    { what: "a call of the provider's own", event: { type: "opaque", format: "gemini", value: {} } as const },
    { what: "the finish", event: finish },
  ])("lets held text leave before $what", ({ event }) => {
    const events = [text("two th"), event];
    expect(pushThrough(defineOverlapTrimmer("one two three"), events)).toEqual(events);
  });

  it("lets held text leave at the end of a stream without a finish", () => {
    expect(pushThrough(defineOverlapTrimmer("one two three"), [text("two th")])).toEqual([text("two th")]);
  });

  it("drops a shorter repetition where a longer one does not come to its end", () => {
    const events = [text("abcabc"), callStart("1", "read"), callEnd("1"), finish];
    expect(pushThrough(defineOverlapTrimmer("abcabcabc"), events)).toEqual(events.slice(1));
  });

  it("does not look for repetitions behind a tool call", () => {
    const events = [callStart("1", "read"), callEnd("1"), text("two three"), finish];
    expect(pushThrough(defineOverlapTrimmer("one two three"), events)).toEqual(events);
  });

  it("lets thinking pass before the first text and goes on looking", () => {
    const sent: GenerationEvent[] = [];
    const stage = defineOverlapTrimmer("one two three");
    const sink = stage({ push: (event) => void sent.push(event), end: () => undefined });
    sink.push(reasoning("where was I"));
    expect(sent).toEqual([reasoning("where was I")]);
    sink.push(text("two three"));
    sink.push(text(" four"));
    expect(sent).toEqual([reasoning("where was I"), text(" four")]);
  });

  it("keeps thinking amid held text in its place", () => {
    const events = [text("two"), reasoning("hm"), text(" th"), text("us")];
    expect(pushThrough(defineOverlapTrimmer("one two three"), events)).toEqual(events);
    const repeated = [text("two"), reasoning("hm"), text(" three!")];
    expect(pushThrough(defineOverlapTrimmer("one two three"), repeated)).toEqual([reasoning("hm"), text("!")]);
  });

  it("lets counts pass at once while text is held", () => {
    const out: GenerationEvent[] = [];
    const sink = defineOverlapTrimmer("one two three")({ push: (event) => void out.push(event), end: () => undefined });
    for (const event of [text("two"), counts]) sink.push(event);
    expect(out).toEqual([counts]);
  });

  it("leaves tokens with the end of their text, and drops those of text that is dropped", () => {
    const events: GenerationEvent[] = [
      { type: "text", text: "two ", tokenIds: [1] },
      { type: "text", text: "three four", tokenIds: [2, 3] },
    ];
    expect(pushThrough(defineOverlapTrimmer("one two three"), events)).toEqual([
      { type: "text", text: " four", tokenIds: [2, 3] },
    ]);
  });

  it("lets a token without text pass where nothing is held", () => {
    const out: GenerationEvent[] = [];
    const sink = defineOverlapTrimmer("one two three")({ push: (event) => void out.push(event), end: () => undefined });
    const event: GenerationEvent = { type: "text", text: "", tokenIds: [7] };
    sink.push(event);
    expect(out).toEqual([event]);
    sink.push(text("two three four"));
    expect(out).toEqual([event, text(" four")]);
  });

  it("serves any number of continuations", () => {
    const stage = defineOverlapTrimmer("one two three");
    for (let round = 0; round < 2; round++) expect(textOf(pushThrough(stage, [text("two three four")]))).toBe(" four");
  });

  it("refuses wrong options at once", () => {
    expect(() => defineOverlapTrimmer("a", { minBytes: 0 })).toThrow("minBytes must be a whole number");
  });

  const anyLetters = fc.array(fc.constantFrom("a", "b", "ab", "\n- ", "😀"), { maxLength: 12 });
  const anyPair = fc
    .tuple(anyLetters, anyLetters, anyLetters)
    .map(([one, two, three]) => [[...one, ...two].join(""), [...two, ...three].join("")] as const);
  const anyCuts = fc.array(fc.nat(60), { maxLength: 20 });
  const anyOther = fc.constantFrom<GenerationEvent>(start, counts, reasoning("hm"), reasoning(""));

  it("gives the same text for any cut, and loses nothing else", () => {
    fc.assert(
      fc.property(anyPair, anyCuts, fc.array(anyOther, { maxLength: 6 }), ([before, after], cuts, others) => {
        const events: GenerationEvent[] = [...cutAt(after, cuts).map(text), finish];
        for (const [index, other] of others.entries()) events.splice((index * 7) % events.length, 0, other);
        const out = pushThrough(defineOverlapTrimmer(before), events);
        same(textOf(out), after.slice(findOverlap(before, after)));
        const noText = (list: readonly GenerationEvent[], type: string): readonly GenerationEvent[] =>
          list.filter((event) => event.type === type);
        for (const type of ["start", "usage", "reasoning", "finish"]) same(noText(out, type), noText(events, type));
        same(out.at(-1), finish);
      }),
      { numRuns: 2000 },
    );
  });

  it("holds text exactly while it is the beginning of an end of the answer that would count", () => {
    fc.assert(
      fc.property(anyPair, anyCuts, ([before, after], cuts) => {
        const pieces = cutAt(after, cuts).filter((piece) => piece !== "");
        let seen = "";
        let isOpen = true;
        for (const [index, shown] of watch(before, pieces.map(text)).entries()) {
          seen += pieces[index]!;
          isOpen &&= canBecomeOverlap(before, seen);
          // What is not shown is either all there is so far, or the repetition.
          same(shown, isOpen ? "" : seen.slice(findOverlap(before, seen)));
        }
      }),
      { numRuns: 2000 },
    );
  });
});

/** Whether some end of the answer that would count as a repetition begins with the text and goes on beyond it. */
function canBecomeOverlap(before: string, seen: string): boolean {
  return Array.from({ length: before.length }, (_, from) => before.slice(from)).some(
    (end) => end.length > seen.length && end.startsWith(seen) && findOverlap(end, end) === end.length,
  );
}
