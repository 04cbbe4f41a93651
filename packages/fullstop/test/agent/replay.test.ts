import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findOverlap } from "../../src/agent/overlap.ts";
import { LEAST_REPLAY, defineContinuationTrimmer } from "../../src/agent/replay.ts";
import type { GenerationEvent } from "../../src/index.ts";
import { truncatedSignal } from "../../src/index.ts";
import { cutAt, everyCut } from "../support/cuts.ts";
import { pushThrough, textOf } from "../support/events.ts";
import { callEnd, callStart, reasoning, start, text, usage } from "../support/official.ts";
import { same } from "../support/same.ts";

const finish: GenerationEvent = { type: "finish", signal: truncatedSignal() };
const counts = usage({ inputTokens: 1, outputTokens: 2 });

interface Trimmed {
  readonly out: readonly GenerationEvent[];
  /** How much of the first version the second has in common with it, if there is a second. */
  readonly keep: number | undefined;
  /** What has left after each event. */
  readonly watched: readonly string[];
  /** The first version, as far as it stays, and what came. */
  readonly joined: string;
}

function trim(before: string, events: readonly GenerationEvent[], leastReplay = 6): Trimmed {
  const out: GenerationEvent[] = [];
  let keep: number | undefined;
  const stage = defineContinuationTrimmer(before, { leastReplay, onNewVersion: (length) => (keep = length) });
  const sink = stage({ push: (event) => void out.push(event), end: () => undefined });
  const watched = events.map((event) => {
    sink.push(event);
    return textOf(out);
  });
  sink.end();
  return { out, keep, watched, joined: before.slice(0, keep) + textOf(out) };
}

const join = (before: string, ...pieces: readonly string[]): string => trim(before, pieces.map(text)).joined;

describe("a model that starts over", () => {
  const before = "one two three four fi";

  it("has its citations where they were in the first version", () => {
    const cited: GenerationEvent = { type: "citation", start: 4, end: 7, format: "test" };
    expect(trim(before, [text("one two"), cited, text(" three four five")]).out).toEqual([cited, text("ve")]);
  });

  it("has said only what comes behind the end of its first version", () => {
    expect(trim(before, [text("one two three four five six")])).toMatchObject({
      out: [text("ve six")],
      keep: undefined,
    });
  });

  it("has said nothing if it does not get that far", () => {
    expect(trim(before, [text("one two three"), finish])).toMatchObject({ out: [finish], keep: undefined });
    expect(trim(before, [text(before), finish])).toMatchObject({ out: [finish], keep: undefined });
  });

  it("has begun a new version where it says something else", () => {
    expect(trim(before, [text("one two seven eight")])).toMatchObject({ out: [text("seven eight")], keep: 8 });
    expect(join(before, "one two seven eight")).toBe("one two seven eight");
  });

  it("is told in every way to cut its text", () => {
    for (const pieces of everyCut("one two tin")) same(join(before, ...pieces), "one two tin");
    for (const pieces of everyCut("one two thr")) same(join(before, ...pieces), before);
    for (const pieces of everyCut("one two th!")) same(join("one two th", ...pieces), "one two th!");
  });

  it("is not heard until it says something new, which goes on at once", () => {
    const pieces = ["one ", "two ", "three ", "for", "ty ", "more"].map(text);
    expect(trim(before, pieces).watched).toEqual(["", "", "", "r", "rty ", "rty more"]);
  });

  it("is not compared as soon as it calls a tool", () => {
    const call = [callStart("1", "read"), callEnd("1")];
    const events = [text("one two"), ...call, text(" three"), finish];
    expect(trim(before, events).out).toEqual([...call, text(" three"), finish]);
  });

  it.each([
    ["differs", "👩 and 👨 agree", "👩 and 👧 agree", "👩 and 👧 agree"],
    ["differs by half", "👩 and 👨 agree", "👩 and \ud83d agree", "👩 and \ud83d agree"],
    ["ends", "👩 and 👨 agree", "👩 and \ud83d", "👩 and 👨 agree"],
    ["goes on where the first version was torn", "👩 and \ud83d", "👩 and 👨 agree", "👩 and 👨 agree"],
    ["differs where the first version is broken", "👩 and \ud83d agree", "👩 and 👨 agree", "👩 and 👨 agree"],
  ])("never tears a character that %s", (_, first, second, joined) => {
    for (const pieces of everyCut(second)) {
      const { keep = 0, joined: found } = trim(first, pieces.map(text));
      same(found, joined);
      expect(/[\ud800-\udbff]$/.test(first.slice(0, keep))).toBe(false);
    }
  });

  it("keeps its thinking, before and amid what it repeats", () => {
    const events = [reasoning("Where?"), text("one "), reasoning("Hm."), text("two tin"), reasoning("So."), text("!")];
    expect(trim(before, events).out).toEqual([
      reasoning("Where?"),
      reasoning("Hm."),
      text("in"),
      reasoning("So."),
      text("!"),
    ]);
  });

  it("leaves tokens with the end of their text, and its end token", () => {
    const events: GenerationEvent[] = [
      { type: "text", text: "one two ", tokenIds: [1, 2] },
      { type: "text", text: "tin", tokenIds: [3] },
    ];
    expect(trim(before, events).out).toEqual([{ type: "text", text: "in", tokenIds: [3] }]);
    const end: GenerationEvent = { type: "text", text: "", tokenIds: [7] };
    expect(trim(before, [text("one two"), end, finish]).out).toEqual([end, finish]);
  });
});

describe("a model that goes on", () => {
  it.each([
    ["a word alike", "one two three four fi", "one hundred", "one two three four fione hundred"],
    ["the end again", "one two three four", "three four five", "one two three four five"],
    [
      "the head of its table",
      "| a | b |\n| 1 | 2 |\n| 3 | 4 |",
      "| a | c |",
      "| a | b |\n| 1 | 2 |\n| 3 | 4 || a | c |",
    ],
    [
      "the beginning, which stands in the answer twice",
      "(c) Me. One (c) Me. Two ",
      "(c) Me. Three",
      "(c) Me. One (c) Me. Two (c) Me. Three",
    ],
    [
      "the last section, which begins as the first does",
      "(c) Me. One (c) Me. Tw",
      "(c) Me. Two",
      "(c) Me. One (c) Me. Two",
    ],
  ])("may repeat %s", (_, before, after, joined) => {
    // The head of a table is shorter than what counts.
    for (const pieces of everyCut(after)) same(trim(before, pieces.map(text), 7).joined, joined);
  });

  it("thinks amid its words", () => {
    const events = [text("one "), reasoning("Hm."), text("hundred"), finish];
    expect(trim("one two three four", events).out).toEqual(events);
  });

  it("repeats no more than others do up to a thousand characters", () => {
    const lines = Array.from({ length: 400 }, (_, index) => `${index}. A line of its own.\n`).join("");
    const cases = [LEAST_REPLAY - 1, LEAST_REPLAY].map((length) => `${lines.slice(0, length)}Else`);
    const joined = cases.map((after) => {
      let keep: number | undefined;
      const stage = defineContinuationTrimmer(lines, { onNewVersion: (length) => (keep = length) });
      const out = textOf(pushThrough(stage, [text(after)]));
      return lines.slice(0, keep) + out;
    });
    expect(joined).toEqual([lines + cases[0]!, cases[1]]);
  });

  it("has the length that is documented", () => {
    const page = readFileSync(path.resolve(import.meta.dirname, "../../../../docs/automatic-actions.md"), "utf8");
    const row = page.split("\n").find((line) => line.includes("beginning of an answer"));
    expect(Number(row?.split("|")[2]?.replaceAll(/[^\d]/g, ""))).toBe(LEAST_REPLAY);
  });
});

describe("a trimmer of continuations", () => {
  const anyLetters = fc.array(fc.constantFrom("a", "b", "abc", "\n- ", "😀", "\ud83d", "\ude00"), { maxLength: 14 });
  /** Two texts of which the second often begins as the first does, or as it ends. */
  const anyPair = fc
    .tuple(anyLetters, anyLetters, anyLetters, fc.boolean())
    .map(([one, two, three, isReplay]) => [
      [...(isReplay ? two : one), ...(isReplay ? one : two)].join(""),
      [...two, ...three].join(""),
    ]);
  const anyCuts = fc.array(fc.nat(60), { maxLength: 20 });
  const anyOther = fc.constantFrom<GenerationEvent>(start, counts, reasoning("hm"), reasoning(""));

  it("gives the same for any cut, drops nothing but what is repeated, and loses nothing else", () => {
    fc.assert(
      fc.property(
        anyPair,
        anyCuts,
        fc.array(anyOther, { maxLength: 6 }),
        fc.integer({ min: 1, max: 12 }),
        ([before = "", after = ""], cuts, others, least) => {
          const events: GenerationEvent[] = [...cutAt(after, cuts).map(text), finish];
          for (const [index, other] of others.entries()) events.splice((index * 7) % events.length, 0, other);
          const { out, joined } = trim(before, events, least);
          same(joined, plainJoin(before, after, least));
          const ofType = (list: readonly GenerationEvent[], type: string): readonly GenerationEvent[] =>
            list.filter((event) => event.type === type);
          for (const type of ["start", "usage", "reasoning", "finish"]) same(ofType(out, type), ofType(events, type));
          same(out.at(-1), finish);
        },
      ),
      { numRuns: 5000 },
    );
  });

  it("follows an answer of any length", () => {
    const before = Array.from({ length: 40_000 }, (_, index) => index).join(" ");
    const pieces = `${before} and on`.match(/.{1,5}/gsu)!;
    const { out, keep } = trim(before, pieces.map(text), LEAST_REPLAY);
    expect([textOf(out), keep]).toEqual([" and on", undefined]);
  });
});

/** What a continuation makes of an answer, written down without regard to pieces. */
function plainJoin(before: string, after: string, least: number): string {
  let common = 0;
  while (common < before.length && common < after.length && before[common] === after[common]) common += 1;
  const isReplay = common >= least && !before.slice(1).includes(before.slice(0, least));
  if (isReplay) return common === after.length ? before : after;
  return before + after.slice(findOverlap(before, after));
}
